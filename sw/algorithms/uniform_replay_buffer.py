"""A replay buffer that draws all its experiences alike."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .replay_buffer import Batch, ReplayBuffer

__all__ = ["UniformReplayBuffer"]


class UniformReplayBuffer(ReplayBuffer):
    """Draws uniformly, with replacement.

    Parameters
    ----------
    capacity : int
        Most experiences.
    seed : int
        Seed of the draws.
    shapes : dict of str to tuple of int, optional
        As of :class:`.ReplayBuffer`.
    """

    def __init__(self, capacity: int, seed: int = 0, shapes: Mapping[str, tuple[int, ...]] | None = None):
        super().__init__(capacity, shapes)
        self._position = 0
        self._generator = np.random.default_rng(seed)

    def _insert(self, count: int) -> np.ndarray:
        indices = (self._position + np.arange(count)) % self.capacity
        self._position = (self._position + count) % self.capacity
        return indices

    def sample(self, batch: int) -> Batch:
        """Experiences of equal weight.

        Raises
        ------
        ValueError
            The buffer is empty.
        """
        self._require_some()
        indices = self._generator.integers(self._length, size=batch)
        return Batch(self._found(indices), indices, np.ones(batch, np.float32))

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The experiences as arrays, and the rest as plain numbers."""
        return self._experiences(), {"position": self._position, "generator": self._generator.bit_generator.state}

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Take back what :meth:`state` gave."""
        self._take_back(arrays)
        self._position = rest["position"]
        self._generator.bit_generator.state = rest["generator"]
