"""One netlist placed with several seeds: the best clock, and how far the others are from it."""

import dataclasses
from collections.abc import Callable
from typing import Any

from ...hw.cores.checks import require_integer
from .tool_cache import Placed

__all__ = ["SeedSweep", "sweep_line", "sweep_seeds"]


@dataclasses.dataclass(frozen=True)
class SeedSweep:
    """Results of the placer's seeds 1 to n.

    Parameters
    ----------
    placements : dict of int to Placed
        By seed.
    """

    placements: dict[int, Placed]

    @property
    def best_seed(self) -> int:
        """The seed of the highest clock, the lowest of several; of a design without a clock the first."""
        return max(self.placements, key=lambda seed: (self._clock(seed), -seed))

    @property
    def best(self) -> Placed:
        """The result of that seed."""
        return self.placements[self.best_seed]

    def describe(self) -> dict[str, Any]:
        """The best seed, the lowest and the highest clock in MHz, and the clock of each seed, for a report."""
        clocks = {seed: round(self._clock(seed), 2) for seed in self.placements}
        return {"best_seed": self.best_seed, "spread_mhz": [min(clocks.values()), max(clocks.values())]} | {
            "seeds_mhz": clocks
        }

    def _clock(self, seed: int) -> float:
        return self.placements[seed].result.frequency or 0.0


def sweep_seeds(place: Callable[[int], Placed], seeds: int) -> SeedSweep:
    """Place with each of the seeds 1 to ``seeds``.

    Parameters
    ----------
    place : callable
        Places with a seed: :func:`~.tool_cache.place_once` with all other arguments bound.
    seeds : int
        How many, at least 1.

    Raises
    ------
    ValueError
        Fewer than 1.
    """
    require_integer("Seeds", seeds, 1)
    return SeedSweep({seed: place(seed) for seed in range(1, seeds + 1)})


def sweep_line(described: dict[str, Any]) -> str:
    """A line for people, of what :meth:`SeedSweep.describe` gives."""
    low, high = described["spread_mhz"]
    clocks = described["seeds_mhz"]
    return f"{len(clocks)} seeds: {low} to {high} MHz, the best with seed {described['best_seed']}"
