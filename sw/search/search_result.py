"""The result of a search of a position."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...hw.cores.tree.config import REWARD_FRACTION

__all__ = ["SearchResult"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SearchResult:
    """A search of one position.

    Parameters
    ----------
    visits : int64 array (actions,)
        Backups over each edge of the root.
    totals : int64 array (actions,)
        Sum of their rewards, 12 fraction bits, as the player has them whose turn it is.
    priors : int64 array (actions,)
        Priors of the root, 16 fraction bits, noise included; 0 where an action is not legal.
    value : float
        The evaluator's of the root, as the player has it whose turn it is.
    legal : bool array (actions,)
    nodes : int
        Nodes of the tree, the root included.
    evaluations : int
        Positions of this tree that the evaluator, or what is remembered of it, was asked for, the root included.
    """

    visits: NDArray[np.int64]
    totals: NDArray[np.int64]
    priors: NDArray[np.int64]
    value: float
    legal: NDArray[np.bool_]
    nodes: int
    evaluations: int

    @property
    def values(self) -> NDArray[np.float64]:
        """Mean reward over each edge of the root; 0 where there was none."""
        return self.totals / np.maximum(self.visits, 1) / (1 << REWARD_FRACTION)

    @property
    def best_action(self) -> int:
        """The action of the most visits; of equal ones that of the greatest value, of these the lowest."""
        keys = np.lexsort((-np.arange(len(self.visits)), self.values, self.visits, self.legal))
        return int(keys[-1])

    @property
    def policy(self) -> NDArray[np.float64]:
        """Share of visits of each action."""
        return self.visits / self.visits.sum()
