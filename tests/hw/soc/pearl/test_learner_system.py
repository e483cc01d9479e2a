"""The learner as a device against the reference: every weight, moment, gradient and priority."""

import numpy as np
import pytest

from rewardware.hw.soc.presets import load_preset
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.device.learner_backends import DeviceLearner, ReferenceLearner
from rewardware.sw.mapping.layer_pipeline import stage_cycles
from rewardware.sw.reference.optimizer.float_adam import AdamRates

from ....sw.reference.layer.stimulus import random_batch

CONFIG = load_preset("small", "pearl_learner")


@pytest.fixture(scope="module")
def opened():
    device = DeviceLearner(CONFIG, stall=0.2, seed=3)
    yield device
    device.close()


@pytest.fixture
def learners(opened):
    """Both with the same random numbers in all arrays; the bits are those of the sums of a step, too."""
    rng, reference = np.random.default_rng(7), ReferenceLearner(CONFIG)
    for array in CONFIG.state:
        numbers = rng.normal(0, 0.5, CONFIG.numbers).astype(np.float32)
        for learner in (opened, reference):
            learner.load(array, (np.abs(numbers) if array == "second" else numbers).view(np.uint32))
    return opened, reference


def both(learners, call):
    """What the device gives is what the reference gives."""
    device, reference = (call(learner) for learner in learners)
    assert device.tolist() == reference.tolist()
    return reference


def assert_same_state(learners):
    for array in CONFIG.state:
        both(learners, lambda learner, array=array: learner.store(array))


def steps(learners, counts, seed=1):
    """Gradient steps with so many samples, the second with a copy to the target network."""
    rng = np.random.default_rng(seed)
    for step, count in enumerate(counts, 1):
        batch, rates = random_batch(rng, CONFIG.sizes, count), AdamRates.of_step(step, learning_rate=0.01)
        both(learners, lambda learner, args=(batch, rates, step == 2): learner.step(*args))
        assert_same_state(learners)


def test_gradient_steps_of_any_length(learners):
    assert_same_state(learners)
    steps(learners, (1, 2, 40, 13, 1, 128))


def test_takes_as_many_cycles_as_it_says():
    rng, cycles, device = np.random.default_rng(4), [], DeviceLearner(CONFIG)
    for count in (4, 34):
        device.step(random_batch(rng, CONFIG.sizes, count), AdamRates.of_step(1))
        cycles.append(device.cycles)
    device.close()
    period = max(stage_cycles(CONFIG.learner.network), CONFIG.learner.loss_cycles, CONFIG.sample_rows)
    assert cycles[1] - cycles[0] == 30 * period


def test_what_is_not_finite_is_reported_and_no_more(learners):
    device, _ = learners
    batch = random_batch(np.random.default_rng(2), CONFIG.sizes, 9)
    batch.observations[4, 2] = np.inf
    assert np.isnan(both(learners, lambda learner: learner.step(batch, AdamRates.of_step(1))).view(np.float32)).any()
    assert device.report.errors == ("nonfinite",)
    assert_same_state(learners)


@pytest.mark.parametrize("rows", [1, 6 * 5 - 1])
def test_a_packet_that_ends_early_is_an_error_and_leaves_the_weights(learners, rows):
    device, _ = learners
    device.device.send(np.zeros((rows, 2), np.uint32))
    with pytest.raises(DeviceError, match="stream_underflow"):
        device._run("step", 10_000, count=5)
    device.device.soft_reset()
    assert_same_state(learners)
    steps(learners, (7, 5))


def test_a_packet_that_goes_on_is_an_error(learners):
    device, _ = learners
    device.device.send(np.zeros((CONFIG.numbers + 1, 2), np.uint32))
    with pytest.raises(DeviceError, match="stream_overflow"):
        device._run("load", 10_000, array=0)
    device.device.soft_reset()


@pytest.mark.parametrize(
    ("instruction", "arguments"), [("step", {"count": 0}), ("store", {"array": 5}), ("load", {"array": 7})]
)
def test_what_means_nothing_is_an_error(learners, instruction, arguments):
    device, _ = learners
    with pytest.raises(DeviceError, match="address_out_of_range"):
        device._run(instruction, 10_000, **arguments)
    device.device.soft_reset()
    assert_same_state(learners)
    steps(learners, (3, 4))
