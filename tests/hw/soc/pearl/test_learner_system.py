"""Learners as devices against their references: every weight, moment and priority of every step."""

from dataclasses import replace

import numpy as np
import pytest

from rewardware.hw.soc.presets import load_preset
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.learner_connection import numbers_of, words_of
from rewardware.sw.mapping.layer_pipeline import learner_stage_cycles
from rewardware.sw.reference.optimizer.float_adam import AdamRates
from rewardware.sw.systems.pearl.learner_backends import DeviceLearner, ReferenceLearner

from ....sw.reference.learner.stimulus import random_batch, random_ddpg_batch, random_sac_batch

SMALL = {
    system: load_preset("small", system) for system in ("pearl_learner", "pearl_ddpg_learner", "pearl_sac_learner")
}
# One of them with the stages that the boards' presets have, and in 16 bits.
STAGED = replace(SMALL["pearl_learner"], adder_depth=6, multiplier_depth=6)
CONFIGS = [*(SMALL | {"pearl_learner": STAGED}).values(), replace(SMALL["pearl_learner"], format="bfloat16")]
IDS = ["dqn", "ddpg", "sac", "dqn16"]


def batch_for(config, rng, count):
    if config.system == "pearl_learner":
        return random_batch(rng, config.sizes, count)
    if config.system == "pearl_sac_learner":
        return random_sac_batch(rng, config.actor_sizes, count)
    return random_ddpg_batch(rng, config.actor_sizes, count)


def rates_for(config, step):
    """Rates of a step, different ones for each network."""
    return [AdamRates.of_step(step, learning_rate=0.01 * place) for place in range(1, len(config.networks) + 1)]


def settings_for(config):
    """Beside the share that targets go."""
    return {"target_entropy": -1.5} if "target_entropy" in config.learner.settings else {}


@pytest.fixture(scope="module", params=CONFIGS, ids=IDS)
def opened(request):
    device = DeviceLearner(request.param, stall=0.2, seed=3)
    yield device
    device.close()


@pytest.fixture
def learners(opened):
    """Both with the same random numbers in all arrays; the bits are also those of the sums of a step."""
    config = opened.config
    rng, reference = np.random.default_rng(7), ReferenceLearner(config)
    for array in config.state:
        numbers = rng.normal(0, 0.5, config.arrays[array].parameters).astype(np.float32)
        for learner in (opened, reference):
            given = np.abs(numbers) if array.endswith("second") else numbers
            learner.load(array, words_of(config.arithmetic.format, given))
    return opened, reference


def both(learners, call):
    """The reference's results, which are the device's."""
    device, reference = (call(learner) for learner in learners)
    assert device.tolist() == reference.tolist()
    return reference


def assert_same_state(learners):
    for array in learners[0].config.state:
        both(learners, lambda learner, array=array: learner.store(array))


def steps(learners, counts, seed=1):
    """Gradient steps with so many samples, of a DQN the second with a copy to the target network."""
    rng, config = np.random.default_rng(seed), learners[0].config
    for step, count in enumerate(counts, 1):
        batch, rates = batch_for(config, rng, count), rates_for(config, step)
        tau = 0.3 / step if config.learner.settings else float(step == 2)
        both(learners, lambda learner, args=(batch, rates, tau): learner.step(*args, **settings_for(config)))
        assert_same_state(learners)


def test_gradient_steps_of_any_length(learners):
    assert_same_state(learners)
    steps(learners, (1, 2, 40, 13, 1, 128))


@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
def test_takes_as_many_cycles_as_it_says(config):
    rng, cycles, device = np.random.default_rng(4), [], DeviceLearner(config)
    for count in (4, 34):
        device.step(batch_for(config, rng, count), rates_for(config, 1), 1, **settings_for(config))
        cycles.append(device.cycles)
    device.close()
    assert cycles[1] - cycles[0] == 30 * max(learner_stage_cycles(config.learner), config.sample_rows)


def test_what_is_not_finite_is_reported_and_no_more(learners):
    device, _ = learners
    batch = batch_for(device.config, np.random.default_rng(2), 9)
    batch.observations[4, 2] = np.inf
    rates = rates_for(device.config, 1)
    settings = settings_for(device.config)
    priorities = both(learners, lambda learner: learner.step(batch, rates, 0, **settings))
    assert not np.isfinite(numbers_of(device.config.arithmetic.format, priorities)[4])
    assert device.report.errors == ("nonfinite",)
    assert_same_state(learners)


@pytest.mark.parametrize("given", [1, -1])
def test_a_packet_that_ends_early_is_an_error_and_leaves_the_weights(learners, given):
    """One row of five samples, and all but one."""
    device, _ = learners
    rows = given % (device.config.sample_rows * 5)
    device.device.send(np.zeros((rows, 2), np.uint32))
    with pytest.raises(DeviceError, match="stream_underflow"):
        device.run("step", 10_000, count=5)
    device.device.soft_reset()
    assert_same_state(learners)
    steps(learners, (7, 5))


def test_a_packet_that_goes_on_is_an_error(learners):
    device, _ = learners
    array = len(device.config.arrays) - 1
    rows = list(device.config.arrays.values())[array].parameters + 1
    device.device.send(np.zeros((rows, 2), np.uint32))
    with pytest.raises(DeviceError, match="stream_overflow"):
        device.run("load", 10_000, array=array)
    device.device.soft_reset()


@pytest.mark.parametrize(("instruction", "beyond"), [("step", None), ("store", 0), ("load", 2)])
def test_what_means_nothing_is_an_error(learners, instruction, beyond):
    device, _ = learners
    arguments = {"count": 0} if beyond is None else {"array": len(device.config.arrays) + beyond}
    with pytest.raises(DeviceError, match="address_out_of_range"):
        device.run(instruction, 10_000, **arguments)
    device.device.soft_reset()
    assert_same_state(learners)
    steps(learners, (3, 4))


def test_configuration_refuses_formats_in_which_adam_does_not_learn():
    names = "bfloat16, bfloat16_flush, binary32, binary32_flush"
    for name in ("binary16", "posit16"):
        with pytest.raises(ValueError, match=f"^Format must be one of {names}, not '{name}'"):
            replace(SMALL["pearl_learner"], format=name)
    with pytest.raises(TypeError, match="^Format must be of the kind str, not 16$"):
        replace(SMALL["pearl_learner"], format=16)


@pytest.mark.parametrize("unit", ["adder", "multiplier"])
def test_configuration_refuses_too_many_stages(unit):
    with pytest.raises(ValueError, match=f"{unit.capitalize()} depth must be from 1 to 7, not 8"):
        replace(SMALL["pearl_learner"], **{f"{unit}_depth": 8})
