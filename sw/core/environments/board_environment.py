"""The interface of environments for a search that a network guides."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from .state_environment import StateEnvironment

__all__ = ["BoardEnvironment", "Symmetry"]

# Permutations of the cells and of the actions.
Symmetry = tuple[np.ndarray, np.ndarray]


@runtime_checkable
class BoardEnvironment(StateEnvironment, Protocol):
    """A :class:`.state_environment.StateEnvironment` of two players who take turns strictly and see everything, with
    planes that show the position to a network.

    Members
    -------
    observation_shape : tuple of int
        Channels, rows and columns of the planes.
    symmetries : sequence of pairs of array
        Ways to turn and mirror the board that leave the rules as they are, the identity first. Each is a permutation of
        the ``rows * columns`` cells and one of the actions: the same position seen otherwise has the planes
        ``planes.reshape(channels, -1)[:, cells]`` and the policy ``policy[actions]``.
    """

    observation_shape: tuple[int, int, int]
    symmetries: Sequence[Symmetry]

    def observation(self) -> np.ndarray:
        """The position as the player sees it whose turn it is: float32 of ``observation_shape``."""
        ...
