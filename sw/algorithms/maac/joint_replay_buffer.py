"""A replay buffer for the experiences of all agents at once."""

import numpy as np

from ..uniform_replay_buffer import UniformReplayBuffer
from .maac_shape import MAACShape

__all__ = ["JointReplayBuffer"]


class JointReplayBuffer(UniformReplayBuffer):
    """Draws joint experiences uniformly, and knows how large each agent's rewards are.

    Parameters
    ----------
    capacity
        Most experiences.
    shape
        Shape of the agents.
    seed
        Seed of the draws.
    """

    def __init__(self, capacity: int, shape: MAACShape, seed: int = 0):
        observations = shape.agents, shape.observation_size
        numbers = (shape.agents,)
        shapes = {
            "observations": observations,
            "actions": numbers,
            "rewards": numbers,
            "next_observations": observations,
            "finished": numbers,
        }
        super().__init__(capacity, seed, shapes)

    def reward_moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of each agent's rewards in the buffer; a deviation of 0 is given as 1.

        Raises
        ------
        ValueError
            The buffer is empty.
        """
        self._require_some()
        rewards = self._experiences()["rewards"]
        mean, deviation = rewards.mean(axis=0, dtype=np.float64), rewards.std(axis=0, dtype=np.float64)
        return mean, np.where(deviation > 0, deviation, 1.0)
