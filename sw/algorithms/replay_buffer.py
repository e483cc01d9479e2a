"""Replay buffer: the transitions of the past, drawn uniformly."""

from typing import Any

import numpy as np

from ..core.experience_checks import finite_array
from ..reference.learner_batch import LearnerBatch

__all__ = ["ReplayBuffer"]


class ReplayBuffer:
    """A ring of transitions; the oldest give way. Memory is taken as it fills, not at once.

    Parameters
    ----------
    capacity
        Transitions it holds.
    observation_size, action_size
        Elements of an observation and of an action.
    gamma
        Discount written beside each transition.
    seed
        Of the draws.
    """

    observations: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    discounts: np.ndarray
    next_observations: np.ndarray

    _FIELDS = ("observations", "actions", "rewards", "discounts", "next_observations")

    def __init__(self, capacity: int, observation_size: int, action_size: int, gamma: float, seed: int):
        self.capacity = capacity
        self.gamma = gamma
        self.size = 0
        self.position = 0
        self._generator = np.random.default_rng(seed)
        self._widths = (observation_size, action_size, None, None, observation_size)
        self._allocate(min(capacity, 1024))

    def _allocate(self, rows: int) -> None:
        for name, width in zip(self._FIELDS, self._widths, strict=True):
            grown = np.zeros((rows,) if width is None else (rows, width), dtype=np.float32)
            if self.size:
                grown[: self.size] = getattr(self, name)[: self.size]
            setattr(self, name, grown)

    def add(self, observation: Any, action: Any, reward: float, next_observation: Any, terminated: bool) -> None:
        """Stores one transition.

        Raises
        ------
        ValueError
            A value that is not finite in float32; nothing is stored.
        """
        discount = 0.0 if terminated else self.gamma
        given = (observation, action, reward, discount, next_observation)
        values = [
            finite_array(name.replace("_", " ").capitalize(), value, np.float32)
            for name, value in zip(self._FIELDS, given, strict=True)
        ]
        if self.position == len(self.rewards):
            self._allocate(min(self.capacity, 2 * self.position))
        row = self.position
        for name, value in zip(self._FIELDS, values, strict=True):
            getattr(self, name)[row] = value
        self.position = (row + 1) % self.capacity
        self.size = max(self.size, row + 1)

    def sample(self, count: int) -> LearnerBatch:
        """Draws transitions uniformly, with replacement."""
        rows = self._generator.integers(self.size, size=count)
        return LearnerBatch(**{name: getattr(self, name)[rows] for name in self._FIELDS})

    def state(self) -> tuple[dict[str, np.ndarray], dict]:
        """The transitions as arrays, and the rest as plain numbers."""
        arrays = {name: getattr(self, name)[: self.size] for name in self._FIELDS}
        return arrays, {"position": self.position, "generator": self._generator.bit_generator.state}

    def restore(self, arrays: dict[str, np.ndarray], rest: dict) -> None:
        """Takes back what `state` gave."""
        self.size = 0
        self._allocate(max(len(arrays["rewards"]), 1))
        self.size = len(arrays["rewards"])
        for name in self._FIELDS:
            getattr(self, name)[: self.size] = arrays[name]
        self.position = rest["position"]
        self._generator.bit_generator.state = rest["generator"]
