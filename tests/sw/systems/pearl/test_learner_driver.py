"""The driver of the learner on the reference: what it keeps, what it refuses."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.soc.pearl.dqn_learner_config import PearlDQNLearnerConfig
from rewardware.hw.soc.presets import load_preset
from rewardware.sim.harness.uart import SimulatedBoard
from rewardware.sw.device.errors import DeviceError
from rewardware.sw.reference.learner.ddpg_learner import DDPGLearnerReference
from rewardware.sw.reference.learner.dqn_learner import DQNLearnerReference
from rewardware.sw.reference.learner.sac_learner import SACLearnerReference
from rewardware.sw.reference.optimizer.float_adam import AdamRates
from rewardware.sw.systems.pearl.learner_backends import ReferenceLearner, open_learner
from rewardware.sw.systems.pearl.learner_driver import DDPGLearnerDevice, DQNLearnerDevice, SACLearnerDevice
from tests.sw.reference.learner.stimulus import random_batch, random_ddpg_batch, random_sac_batch, random_weights

CONFIG = load_preset("small", "pearl_learner")
DDPG = load_preset("small", "pearl_ddpg_learner")
SAC = load_preset("small", "pearl_sac_learner")


def make(**changes):
    config = dataclasses.replace(CONFIG, **changes)
    return DQNLearnerDevice(ReferenceLearner(config), random_weights(np.random.default_rng(5), config.sizes))


def batches(count, size=7):
    rng = np.random.default_rng(1)
    return [random_batch(rng, CONFIG.sizes, size) for _ in range(count)]


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_steps_are_those_of_the_reference(optimizer):
    learner = make(optimizer=optimizer)
    reference = DQNLearnerReference(learner.config.learner, random_weights(np.random.default_rng(5), CONFIG.sizes))
    for number, batch in enumerate(batches(4), 1):
        rates = AdamRates.of_step(number, learning_rate=0.01) if optimizer == "adam" else 0.01
        assert np.array_equal(learner.step(batch, 0.01, copy=number == 2), reference.step(batch, rates))
        if number == 2:
            reference.copy_to_target()
        for got, expected in zip(learner.weights(), reference.weights, strict=True):
            assert np.array_equal(got, expected)


def make_ddpg(**changes):
    config, rng = dataclasses.replace(DDPG, **changes), np.random.default_rng(5)
    weights = [random_weights(rng, network.sizes) for network in config.networks.values()]
    return DDPGLearnerDevice(ReferenceLearner(config), *weights), weights


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_steps_of_ddpg_are_those_of_the_reference(optimizer):
    learner, weights = make_ddpg(optimizer=optimizer)
    reference, rng = DDPGLearnerReference(learner.config.learner, *weights), np.random.default_rng(1)
    for number in range(1, 5):
        batch, rates = random_ddpg_batch(rng, DDPG.actor_sizes, 7), (0.01, 0.02)
        given = [AdamRates.of_step(number, learning_rate=rate) for rate in rates] if optimizer == "adam" else rates
        assert np.array_equal(learner.step(batch, *rates, 0.1), reference.step(batch, *given, 0.1))
        for got, expected in zip(learner.weights(), reference.actor.weights, strict=True):
            assert np.array_equal(got, expected)
    state = learner.state()
    for name, expected in (("critic_weights", reference.critic.weights), ("actor_target", reference.actor_target)):
        assert np.array_equal(state[name], np.concatenate([matrix.ravel() for matrix in expected]))
    other, _ = make_ddpg(optimizer=optimizer)
    other.restore(state, learner.steps)
    batch = random_ddpg_batch(rng, DDPG.actor_sizes, 5)
    assert np.array_equal(other.step(batch, 0.01, 0.02, 0.1), learner.step(batch, 0.01, 0.02, 0.1))
    batch = dataclasses.replace(batch, actions=batch.actions[:, :1])
    with pytest.raises(ValueError, match=r"Actions must have the shape \(5, 2\), not \(5, 1\)"):
        learner.step(batch, 0.01, 0.02, 0.1)


def make_sac(**changes):
    config, rng = dataclasses.replace(SAC, **changes), np.random.default_rng(5)
    weights = [random_weights(rng, network.sizes) for network in (config.learner.actor, *[config.learner.critic] * 2)]
    weights.append([np.float32([[-0.5]])])
    return SACLearnerDevice(ReferenceLearner(config), *weights), weights


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_steps_of_sac_are_those_of_the_reference(optimizer):
    learner, weights = make_sac(optimizer=optimizer)
    reference, rng = SACLearnerReference(learner.config.learner, *weights), np.random.default_rng(1)
    for number in range(1, 4):
        batch, rates = random_sac_batch(rng, SAC.actor_sizes, 7), (0.01, 0.02, 0.02, 0.01)
        given = [AdamRates.of_step(number, learning_rate=rate) for rate in rates] if optimizer == "adam" else rates
        found = learner.step(batch, 0.01, 0.02, 0.1, -1.5)
        assert np.array_equal(found, reference.step(batch, given, 0.1, -1.5))
    state = learner.state()
    assert "actor_target" not in state and "temperature_target" not in state
    for name, network in (("critic_2", reference.critic_2), ("temperature", reference.temperature)):
        expected = np.concatenate([matrix.ravel() for matrix in network.weights])
        assert np.array_equal(state[f"{name}_weights"], expected)
    other, _ = make_sac(optimizer=optimizer)
    other.restore(state, learner.steps)
    batch = random_sac_batch(rng, SAC.actor_sizes, 5)
    assert np.array_equal(other.step(batch, 0.01, 0.02, 0.1, -1.5), learner.step(batch, 0.01, 0.02, 0.1, -1.5))
    batch = dataclasses.replace(batch, next_noises=batch.noises[:, :1])
    with pytest.raises(ValueError, match=r"Next noises must have the shape \(5, 2\), not \(5, 1\)"):
        learner.step(batch, 0.01, 0.02, 0.1, -1.5)


def test_steps_over_uart_are_those_of_the_reference():
    """On a simulated board, behind a wire of one bit."""
    weights = random_weights(np.random.default_rng(5), CONFIG.sizes)
    reference = make()
    with SimulatedBoard(CONFIG) as board:
        learner = DQNLearnerDevice(open_learner(f"uart:{board.port}", CONFIG), weights)
        for number, batch in enumerate(batches(2, 3)):
            found, told = (one.step(batch, 0.01, copy=number == 1) for one in (learner, reference))
            assert np.array_equal(found, told)
        left, right = learner.state(), reference.state()
        learner.close()
    assert all(np.array_equal(left[name], right[name]) for name in right)


def test_the_target_network_moves_only_when_told():
    learner = make()
    before = learner.state()
    learner.step(batches(1)[0], 0.01)
    after = learner.state()
    assert np.array_equal(after["target"], before["target"]) and not np.array_equal(after["weights"], before["weights"])
    learner.copy_to_target()
    assert np.array_equal(learner.state()["target"], after["weights"])


def test_a_restored_learner_goes_on_identically():
    one, other, samples = make(), make(), batches(5)
    for batch in samples[:3]:
        one.step(batch, 0.01)
    other.restore(one.state(), one.steps)
    for batch in samples[3:]:
        assert np.array_equal(one.step(batch, 0.01), other.step(batch, 0.01))
    left, right = one.state(), other.state()
    assert left.keys() == right.keys() == {"weights", "target", "first", "second"}
    assert all(np.array_equal(left[name], right[name]) for name in left)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"observations": np.zeros((7, 3))}, r"Observations must have the shape \(7, 4\), not \(7, 3\)"),
        ({"weights": np.zeros(6)}, r"Weights must have the shape \(7,\), not \(6,\)"),
        ({"rewards": np.full(7, np.nan)}, "Rewards must be finite, not nan"),
        ({"actions": np.array([0, 1, 0, 2, 0, 0, 0])}, "Actions must be from 0 to 1, not 2"),
        ({"rewards": np.zeros(0)}, "Number of samples must be from 1 to 65535, not 0"),
    ],
)
def test_samples_that_mean_nothing_are_refused(changes, words):
    learner = make()
    before = learner.state()
    with pytest.raises(ValueError, match=words):
        learner.step(dataclasses.replace(batches(1)[0], **changes), 0.01)
    assert learner.steps == 0 and np.array_equal(learner.state()["weights"], before["weights"])


def test_weights_that_mean_nothing_are_refused():
    backend, weights = ReferenceLearner(CONFIG), random_weights(np.random.default_rng(5), CONFIG.sizes)
    with pytest.raises(ValueError, match=r"Weights must have the shapes \[\(5, 5\), \(6, 3\), \(4, 2\)\], not"):
        DQNLearnerDevice(backend, weights[:-1])
    weights[1][2, 0] = np.nan
    with pytest.raises(ValueError, match=r"Array weights must be finite, not nan \(number 31\)"):
        DQNLearnerDevice(backend, weights)
    learner = make()
    with pytest.raises(ValueError, match=r"Array first must have 51 numbers, not \(7,\)"):
        learner.restore({**learner.state(), "first": np.zeros(7)}, 0)


def test_a_closed_learner_says_so():
    learner = make()
    learner.close()
    for ask in (learner.state, learner.weights, learner.copy_to_target, lambda: learner.step(batches(1)[0], 0.01)):
        with pytest.raises(DeviceError, match="The learner was closed"):
            ask()


def test_what_there_is_not_is_refused():
    with pytest.raises(ValueError, match="Backend must be reference, rtl, lockstep, uart.*, not 'fpga'"):
        open_learner("fpga", CONFIG)
    with pytest.raises(ValueError, match="Units must be given for 3 layers, not 2"):
        PearlDQNLearnerConfig(sizes=(4, 5, 3, 2), units=(2, 3))
