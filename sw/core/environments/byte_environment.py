"""Numbered actions, and observations of which bytes become numbers from 0 to 1."""

from typing import Any

import numpy as np

from .environment import DiscreteEnvironment

__all__ = ["ByteEnvironment"]


class ByteEnvironment(DiscreteEnvironment):
    """A :class:`.DiscreteEnvironment` that divides observations by 255 where their space is of bytes, as the memory of
    a game of the Arcade Learning Environment is."""

    def _checked(self, observation: Any, number: int) -> np.ndarray:
        found = super()._checked(observation, number)
        return found / np.float32(255) if self.env.observation_space.dtype == np.uint8 else found
