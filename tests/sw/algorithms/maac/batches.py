"""Shapes and random batches of MAAC for tests."""

import numpy as np

from rewardware.sw.algorithms.maac.maac_config import MAACConfig
from rewardware.sw.algorithms.maac.maac_learner import MAACLearner
from rewardware.sw.algorithms.maac.maac_shape import MAACShape
from rewardware.sw.algorithms.maac.torch_update import TorchMAACUpdate
from rewardware.sw.algorithms.maac.update import JointBatch

__all__ = ["EVEN", "UNEVEN", "config_of", "experiences", "learner_of", "random_batch"]

EVEN = MAACShape(sizes=(4, 4), counts=(3, 3), hidden_size=8, heads=2)
UNEVEN = MAACShape(sizes=(3, 6, 5), counts=(4, 2, 3), hidden_size=12, heads=3)


def config_of(shape, **values):
    settings = {"batch_size": 16, "buffer_size": 64, "updates": 2, "reward_scale": 5.0, "tau": 0.1, "seed": 3}
    return MAACConfig(hidden_size=shape.hidden_size, heads=shape.heads, **{**settings, **values})


def learner_of(shape, **values):
    return MAACLearner(shape, config_of(shape, **values), TorchMAACUpdate)


def random_batch(shape, rows=16, seed=0):
    generator = np.random.default_rng(seed)

    def observations():
        found = generator.standard_normal((rows, shape.agents, shape.observation_size), np.float32)
        return found * shape.observed.astype(np.float32)

    taken = generator.integers(0, shape.counts, (rows, shape.agents))
    numbers = rows, shape.agents
    return JointBatch(
        observations=observations(),
        actions=np.eye(shape.actions, dtype=np.float32)[taken],
        rewards=generator.standard_normal(numbers, np.float32),
        next_observations=observations(),
        finished=(generator.random(numbers) < 0.3).astype(np.float32),
        next_uniforms=generator.random(numbers, np.float32),
        uniforms=generator.random(numbers, np.float32),
    )


def experiences(shape, rows=64, seed=0):
    """Experiences as they are remembered."""
    batch = random_batch(shape, rows, seed)
    return {
        "observations": batch.observations,
        "actions": batch.actions.argmax(-1),
        "rewards": batch.rewards,
        "next_observations": batch.next_observations,
        "finished": batch.finished,
    }
