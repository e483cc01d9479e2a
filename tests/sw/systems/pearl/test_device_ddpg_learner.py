"""DDPG with its learner in hardware: PyTorch's gradient step, the same on every backend, what it refuses."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.soc.presets import load_preset
from rewardware.sw.algorithms.actor_critic_config import PrioritizedDDPGConfig
from rewardware.sw.algorithms.ddpg_learner import DDPGLearner
from rewardware.sw.algorithms.replay_buffer import Batch
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.systems.pearl.ddpg import DDPG
from rewardware.sw.systems.pearl.device_ddpg_learner import DeviceDDPGLearner
from rewardware.sw.systems.pearl.learner_backends import DeviceLearner, ReferenceLearner

from ...algorithms.checkpoints import assert_same_arrays, learned
from .test_dqn import HARDWARE

# As that of tests/hw/soc/pearl, so that its simulator is built once.
LEARNER = load_preset("small", "pearl_ddpg_learner")
CONFIG = PrioritizedDDPGConfig(
    hidden_sizes=(5,), batch_size=13, learning_starts=20, train_freq=5, gradient_steps=2, learning_rate=2e-3,
    critic_learning_rate=3e-3, tau=0.1, gamma=0.9,
)  # fmt: skip


def make(backend="reference", config=CONFIG, learner=LEARNER):
    return DDPG("Swimmer-v5", config, hardware=HARDWARE, learner=learner, backend=backend, environments=5)


class ActorFirst(DDPGLearner):
    """DDPG whose actor's gradient is that of the critic before its step, as the hardware's."""

    def _learn_values(self, data, targets, weights):
        super()._learn_actions(data["observation"])
        return super()._learn_values(data, targets, weights)

    def _learn_actions(self, observations):
        """Done."""


def test_gradient_steps_are_pytorchs():
    """But for the order of sums, whose rounding Adam makes larger where a gradient is near 0."""
    learners = ActorFirst(8, 2, CONFIG, 3), DeviceDDPGLearner(CONFIG, 3, ReferenceLearner(LEARNER))
    rng = np.random.default_rng(0)
    observations = rng.normal(size=(50, 8)).astype(np.float32)
    before = learners[1].act(observations)
    for step in range(12):
        experiences = {
            "observation": rng.normal(size=(13, 8)).astype(np.float32),
            "action": rng.uniform(-1, 1, (13, 2)).astype(np.float32),
            "reward": rng.normal(0, 2, 13).astype(np.float32),
            "next_observation": rng.normal(size=(13, 8)).astype(np.float32),
            "terminated": rng.random(13) < 0.3,
        }
        batch = Batch(experiences, np.arange(13), rng.random(13).astype(np.float32))
        errors = [learner.train(learner.prepare(batch), step) for learner in learners]
        assert np.allclose(*errors, atol=1e-5)
    actions = [learner.act(observations) for learner in learners]
    assert np.allclose(*actions, atol=1e-4) and np.abs(actions[0] - before).max() > 1e-2
    for one, other in zip(*(learner.weights() for learner in learners), strict=True):
        assert np.allclose(one, other, atol=1e-4)


def test_every_backend_learns_the_same_and_goes_on_identically(tmp_path):
    """Straight on the reference; in lockstep, then on the RTL."""
    straight, counters = learned(make(), tmp_path / "straight.zip", 60)
    assert counters["gradient_steps"] == 16
    _, counters = learned(make("lockstep"), tmp_path / "agent.zip", 40)
    assert counters["learner_lockstep_steps"] == 8
    least = 8 * (CONFIG.batch_size + sum(LEARNER.arrays[array].parameters for array in LEARNER.state))
    assert counters["learner_lockstep_equal"] == counters["learner_lockstep_compared"] > least
    assert counters["step_cycles"] > 8 * CONFIG.batch_size * LEARNER.sample_rows
    assert counters["replay_lockstep_equal"] == counters["replay_lockstep_compared"]
    resumed = DDPG.load(tmp_path / "agent.zip", backend="rtl")
    assert_same_arrays(straight, learned(resumed, tmp_path / "resumed.zip", 20)[0])


def test_a_wrong_weight_of_the_rtl_stops_lockstep(monkeypatch):
    load = DeviceLearner.load

    def load_wrongly(learner, array, numbers):
        load(learner, array, numbers ^ (np.arange(len(numbers)) == 3).astype(np.uint32))

    monkeypatch.setattr(DeviceLearner, "load", load_wrongly)
    with pytest.raises(LockstepError, match=r"Gradient step 0, store: RTL differs from the reference in \w+\[3\]"):
        make("lockstep")


@pytest.mark.parametrize(
    ("changes", "learner", "words"),
    [
        ({"hidden_sizes": (7,)}, {}, "Learner small has the actor 8-5-2, not 8-7-2"),
        ({}, {"critic_sizes": (10, 4, 1)}, "Learner small has the critic 10-4-1, not 10-5-1"),
        ({}, {"loss": "huber"}, "Learner small must have the loss squared, not huber"),
    ],
)
def test_what_the_learner_does_not_have_is_refused(changes, learner, words):
    with pytest.raises(ValueError, match=words):
        make(
            config=PrioritizedDDPGConfig.from_mapping({**CONFIG.to_mapping(), **changes}),
            learner=dataclasses.replace(LEARNER, **learner),
        )
