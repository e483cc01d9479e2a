"""The interface of every tree search with a network, wherever its tree is."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from .search_config import SearchConfig
from .search_result import SearchResult

__all__ = ["SearchError", "TreeSearch"]


class SearchError(RuntimeError):
    """A search could not go on: an evaluator failed, or took longer than it may."""


class TreeSearch(Protocol):
    """Searches positions of a game, each with a tree of its own.

    All trees of a call go on side by side. First all roots are evaluated as one batch. Then there are rounds: each tree
    makes as many selections as it has workers, or as are left; all positions in which they end and that are new are
    evaluated as one batch; then each selection gets its priors and its backup, tree by tree, in the order of the
    selections. A node in which several selections of a round end is evaluated once; one where the game has ended, not
    at all. Searches of C++ with threads of their own have no rounds, and keep this order with one worker alone.

    Members
    -------
    config : SearchConfig
    """

    config: SearchConfig

    def search(
        self,
        states: Sequence[Any],
        noise: Sequence[NDArray[np.float64]] | None = None,
        simulations: int | None = None,
    ) -> list[SearchResult]:
        """Search positions.

        Parameters
        ----------
        states : sequence of object
            Saved by the environment; no game has ended.
        noise : sequence of float64 array (actions,), or None
            One for each state, to be mixed into the priors of its root; it sums to 1 over the legal actions.
        simulations : int or None
            Simulations of each tree; None: as configured.

        Raises
        ------
        ValueError
            A game has ended; a number of simulations that is out of range; more or fewer noises than states; a reward
            out of the format's range; an evaluation that is none.
        SearchError
            The search could not go on.
        """
        ...

    def forget_evaluations(self) -> None:
        """Ask the evaluator anew from now on, as it says other things, or as another batch has to have the same bits
        once more."""
        ...

    def counters(self) -> dict[str, int]:
        """Counts since it was opened, by name."""
        ...

    def close(self) -> None:
        """Give back what is held."""
        ...
