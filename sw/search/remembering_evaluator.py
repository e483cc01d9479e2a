"""An evaluator that says the same of a position however often, and in whatever batch, it is asked."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .batch_evaluation import evaluate_checked
from .position_evaluator import Planes, PositionEvaluator

__all__ = ["Batch", "RememberingEvaluator"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch:
    """Positions that were evaluated at once.

    Parameters
    ----------
    planes : float32 array (batch, channels, rows, columns)
    legal : bool array (batch, actions)
    """

    planes: Planes
    legal: NDArray[np.bool_]


class RememberingEvaluator:
    """A :class:`.PositionEvaluator` that asks another one of each position once, until it is told to forget.

    Floating-point results depend on the size of a batch, so that two searches that ask for the same positions in other
    company would not get the same numbers.

    Parameters
    ----------
    evaluator : PositionEvaluator
        It stays open.
    """

    def __init__(self, evaluator: PositionEvaluator):
        self._evaluator = evaluator
        self._known: dict[bytes, tuple[NDArray[np.floating], np.float32]] = {}
        self._batches: list[Batch] = []

    def evaluate(self, planes: Planes, legal: NDArray[np.bool_], /) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Priors and values; of positions that are new, from the other one, as one batch."""
        self._batches.append(Batch(planes=planes.copy(), legal=legal.copy()))
        keys = [own.tobytes() + allowed.tobytes() for own, allowed in zip(planes, legal, strict=True)]
        new = list({key: index for index, key in enumerate(keys) if key not in self._known}.values())
        if new:
            priors, values = evaluate_checked(self._evaluator, planes[new], legal[new])
            for index, own, value in zip(new, priors, values, strict=True):
                self._known[keys[index]] = own.copy(), value
        found = [self._known[key] for key in keys]
        return np.stack([own for own, _ in found]), np.array([value for _, value in found], np.float32)

    def taken(self) -> list[Batch]:
        """The batches since the last call, in order."""
        batches, self._batches = self._batches, []
        return batches

    def forget(self) -> None:
        """Ask the other one again from now on."""
        self._known.clear()
        self._batches = []

    def close(self) -> None:
        """Nothing is held."""
