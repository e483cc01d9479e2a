"""What a tree search asks of positions, a batch at a time."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["EvaluationError", "Planes", "PositionEvaluator", "UniformEvaluator", "require_evaluation"]

Planes = NDArray[np.float32]


class EvaluationError(ValueError):
    """What an evaluator gave is no evaluation."""


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


def require_evaluation(priors: object, values: object, legal: NDArray[np.bool_]) -> None:
    """Refuse what is no evaluation of a batch.

    Raises
    ------
    EvaluationError
        Another shape; priors that are negative, infinite or NaN, or all 0 where an action is legal; a value that is
        not finite.
    """
    batch, actions = legal.shape
    for name, array, shape in (("Priors", priors, (batch, actions)), ("Values", values, (batch,))):
        if not isinstance(array, np.ndarray) or array.shape != shape:
            found = array.shape if isinstance(array, np.ndarray) else type(array).__name__
            raise EvaluationError(f"{name} of an evaluator must be an array of shape {shape}, not {found}")
    assert isinstance(priors, np.ndarray) and isinstance(values, np.ndarray)
    looked_at = np.where(legal, priors, 0)
    wrong = ~((looked_at >= 0) & (looked_at < np.inf))
    if wrong.any():
        position, action = np.argwhere(wrong)[0]
        raise EvaluationError(
            f"Priors of an evaluator must be at least 0 and finite, not {priors[position, action]:g} as of action "
            f"{action}"
        )
    if not looked_at.any(axis=1).all():
        raise EvaluationError("Priors of an evaluator must not be 0 for all legal actions of a position")
    if not np.isfinite(values).all():
        raise EvaluationError(f"Values of an evaluator must be finite, not {values[~np.isfinite(values)][0]:g}")
