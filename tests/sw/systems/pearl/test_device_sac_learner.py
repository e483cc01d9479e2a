"""SAC with its learner in hardware: PyTorch's gradient step, the same on every backend, what it refuses."""

import dataclasses

import numpy as np
import pytest

from rewardware.hw.soc.presets import load_preset
from rewardware.sw.algorithms.actor_critic_config import PrioritizedSACConfig
from rewardware.sw.algorithms.replay_buffer import Batch
from rewardware.sw.algorithms.sac_learner import SACLearner
from rewardware.sw.systems.pearl.device_sac_learner import DeviceSACLearner
from rewardware.sw.systems.pearl.learner_backends import ReferenceLearner
from rewardware.sw.systems.pearl.sac import SAC

from ...algorithms.checkpoints import assert_same_arrays, learned
from .test_dqn import HARDWARE

# As that of tests/hw/soc/pearl, so that its simulator is built once.
LEARNER = load_preset("small", "pearl_sac_learner")
CONFIG = PrioritizedSACConfig(
    hidden_sizes=(5,), critic_hidden_sizes=(4,), batch_size=13, learning_starts=20, train_freq=5, gradient_steps=2,
    learning_rate=2e-3, critic_learning_rate=3e-3, tau=0.1, gamma=0.9, temperature=0.5,
)  # fmt: skip


def make(backend="reference", config=CONFIG, learner=LEARNER):
    return SAC("Swimmer-v5", config, hardware=HARDWARE, learner=learner, backend=backend, environments=5)


class CriticsBefore(SACLearner):
    """SAC whose actor's gradient is that of the critics before their step, as the hardware's."""

    def train(self, batch, step):
        self.before = [critic.copy() for critic in self.critics]
        return super().train(batch, step)

    def _learn_actions(self, *given):
        after, self.critics = self.critics, self.before
        super()._learn_actions(*given)
        self.critics = after


def test_gradient_steps_are_pytorchs():
    """But for the order of sums, whose rounding Adam makes larger where a gradient is near 0."""
    learners = CriticsBefore(8, 2, CONFIG, 3), DeviceSACLearner(CONFIG, 3, ReferenceLearner(LEARNER))
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
    logarithm = learners[1].device.state()["temperature_weights"]
    assert np.allclose(learners[0].logarithm, logarithm, atol=1e-5) and abs(logarithm[0] - np.log(0.5)) > 1e-2


def test_every_backend_learns_the_same_and_goes_on_identically(tmp_path):
    """Straight on the reference; in lockstep, then on the RTL."""
    straight, counters = learned(make(), tmp_path / "straight.zip", 60)
    assert counters["gradient_steps"] == 16
    _, counters = learned(make("lockstep"), tmp_path / "agent.zip", 40)
    assert counters["learner_lockstep_steps"] == 8
    least = 8 * (CONFIG.batch_size + sum(LEARNER.arrays[array].parameters for array in LEARNER.state))
    assert counters["learner_lockstep_equal"] == counters["learner_lockstep_compared"] > least
    assert counters["step_cycles"] > 8 * CONFIG.batch_size * LEARNER.sample_rows
    resumed = SAC.load(tmp_path / "agent.zip", backend="rtl")
    assert_same_arrays(straight, learned(resumed, tmp_path / "resumed.zip", 20)[0])


@pytest.mark.parametrize(
    ("changes", "learner", "words"),
    [
        ({"hidden_sizes": (7,)}, {}, "Learner small has the actor 8-5-4, not 8-7-4"),
        ({}, {"critic_sizes": (10, 5, 1)}, "Learner small has the critic_1 10-5-1, not 10-4-1"),
        ({}, {"loss": "huber"}, "Learner small must have the loss squared, not huber"),
    ],
)
def test_what_the_learner_does_not_have_is_refused(changes, learner, words):
    with pytest.raises(ValueError, match=words):
        make(
            config=PrioritizedSACConfig.from_mapping({**CONFIG.to_mapping(), **changes}),
            learner=dataclasses.replace(LEARNER, **learner),
        )
