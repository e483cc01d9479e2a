"""Two tree searches side by side: every batch of positions and every result compared."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.lockstep import Comparison
from .remembering_evaluator import Batch, RememberingEvaluator
from .search_result import SearchResult
from .tree_search import TreeSearch

__all__ = ["LockstepSearch"]


class LockstepSearch(Comparison):
    """A :class:`.TreeSearch` that has two others search every position, one position after the other.

    Batches are compared before results: the first that differs is that of the first round that went wrong.

    Parameters
    ----------
    reference, device : TreeSearch
        The search whose results count, and the one that has to come to the same ones; both evaluate by ``evaluator``
        and remember nothing themselves.
    evaluator : RememberingEvaluator
        Says the same of a position to both.

    Raises
    ------
    LockstepError
        At the first element that differs.
    """

    reference: TreeSearch
    device: TreeSearch

    def __init__(self, reference: TreeSearch, device: TreeSearch, evaluator: RememberingEvaluator):
        super().__init__(reference, device, 1, "Position")
        self.config = reference.config
        self._evaluator = evaluator

    def search(
        self,
        states: Sequence[Any],
        noise: Sequence[NDArray[np.float64]] | None = None,
        simulations: int | None = None,
    ) -> list[SearchResult]:
        """Search positions; as of :class:`.TreeSearch`.

        Raises
        ------
        LockstepError
            Besides: at the first element that differs.
        """
        if noise is not None and len(noise) != len(states):
            raise ValueError(f"There must be as much noise as there are positions, {len(states)}, not {len(noise)}")
        return [
            self._search(state, None if noise is None else [noise[index]], simulations)
            for index, state in enumerate(states)
        ]

    def _search(self, state: Any, noise: list[NDArray[np.float64]] | None, simulations: int | None) -> SearchResult:
        self._evaluator.forget()
        (expected,) = self.reference.search([state], noise, simulations)
        batches = self._evaluator.taken()
        (got,) = self.device.search([state], noise, simulations)
        others = self._evaluator.taken()
        for number, (batch, other) in enumerate(zip(batches, others, strict=False)):
            self.compare(f"batch {number}", vars(batch), vars(other), len(batch.planes))
        self.compare("search", _parts(expected, batches), _parts(got, others), 1)
        self.steps += 1
        self.steps_checked += 1
        return expected

    def forget_evaluations(self) -> None:
        """None is remembered from one position to the next."""

    def counters(self) -> dict[str, int]:
        """Counters of both, the device's where they have the same name, and how much was compared."""
        return {**self.reference.counters(), **self.device.counters(), **self.counts()}


def _parts(result: SearchResult, batches: list[Batch]) -> dict[str, NDArray[Any]]:
    return {"batches": np.array(len(batches)), **{name: np.asarray(part) for name, part in vars(result).items()}}
