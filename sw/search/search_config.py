"""Configuration of a tree search with a network."""

from dataclasses import dataclass

from ...hw.cores.tree.config import VISIT_WIDTH
from ..core.hyper_parameters import HyperParameters
from ..device.search_tree_numbers import TreeParameters

__all__ = ["MOST_LEVELS", "MOST_SIMULATIONS", "MOST_WORKERS", "SearchConfig"]

# Every selection counts towards a node's 16 bits of visits, of which PUCT looks at one more.
MOST_SIMULATIONS = (1 << VISIT_WIDTH) - 2
MOST_WORKERS, MOST_LEVELS = 255, 4096


@dataclass(frozen=True, kw_only=True)
class SearchConfig(HyperParameters):
    """How a position is searched. Real numbers are rounded to the formats of the tree (docs/mcts.md).

    Parameters
    ----------
    simulations : int
        Simulations per search, without the evaluation of its root (1 to 65 534).
    workers : int
        Selections under way at once in a tree (1 to 255): p of the tree accelerator, N of the source.
    exploration : float
        Constant c of PUCT, in [0, 16), 12 fraction bits.
    virtual_loss : float
        Penalty on the score of an edge for each selection under way through it, in [0, 1), 16 fraction bits.
    first_value : float
        Value of an edge that no backup went through, in [-8, 8), 16 fraction bits.
    noise_fraction : float
        Share of noise in the root's priors, where there is noise, in [0, 1].
    levels : int
        Limit of the tree's levels, the root's included (2 to 4096); a tree accelerator has 64 at most.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    simulations: int = 400
    workers: int = 8
    exploration: float = 1.5
    virtual_loss: float = 0.25
    first_value: float = 0.0
    noise_fraction: float = 0.25
    levels: int = 64

    def __post_init__(self) -> None:
        self._whole("simulations", self.simulations, 1, MOST_SIMULATIONS)
        self._whole("workers", self.workers, 1, MOST_WORKERS)
        self._whole("levels", self.levels, 2, MOST_LEVELS)
        self._real("exploration", 0, 16)
        self._real("virtual_loss", 0, 1)
        self._real("first_value", -8, 8)
        self._real("noise_fraction", 0, 1, high_included=True)
        # Its numbers are refused where they round to the end of a format.
        _ = self.parameters

    @property
    def parameters(self) -> TreeParameters:
        """The registers of a tree accelerator that searches so."""
        return TreeParameters(
            exploration=self.exploration,
            virtual_loss=self.virtual_loss,
            first_value=self.first_value,
            alternate=True,
        )
