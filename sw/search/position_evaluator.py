"""Evaluators: a tree search asks them for priors and values of positions, a batch at a time."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["EvaluationError", "Planes", "PositionEvaluator", "UniformEvaluator"]

Planes = NDArray[np.float32]


class EvaluationError(ValueError):
    """An evaluator gave something else than an evaluation."""


class PositionEvaluator(Protocol):
    """Priors and values of positions, as of AlphaZero's network.

    Source: D. Silver et al., *A general reinforcement learning algorithm that masters chess, shogi, and Go through
    self-play*, Science 362, 2018.
    """

    def evaluate(self, planes: Planes, legal: NDArray[np.bool_], /) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Look at positions.

        Parameters
        ----------
        planes : float32 array (batch, channels, rows, columns)
            As the player sees them whose turn it is. They are overwritten after the call.
        legal : bool array (batch, actions)
            At least one is true of each.

        Returns
        -------
        priors : float32 array (batch, actions)
            At least 0; only ratios matter, and only those of legal actions.
        values : float32 array (batch,)
            Sum of rewards to be expected from here on, as the player has it whose turn it is.
        """
        ...

    def close(self) -> None:
        """Give back what is held."""
        ...


class UniformEvaluator:
    """Finds every action as good as any other, and every position worth nothing."""

    def evaluate(self, planes: Planes, legal: NDArray[np.bool_], /) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Ones and zeros."""
        return np.ones(legal.shape, np.float32), np.zeros(len(legal), np.float32)

    def close(self) -> None:
        """Nothing is held."""
