"""One netlist placed with several seeds: the best clock, and how far the others are from it."""

import dataclasses
import functools
import logging
from collections.abc import Callable
from typing import Any

from ...hw.cores.checks import require_integer
from ...hw.soc.export.tools import ToolError
from ...hw.soc.limited_command import run_all, termination_raised
from .tool_cache import Placed

__all__ = ["SeedSweep", "sweep_line", "sweep_seeds"]

logger = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class SeedSweep:
    """Results of the placer's seeds 1 to n.

    Parameters
    ----------
    placements : dict of int to Placed
        By seed.
    failed : tuple of int
        Seeds for which place and route failed.
    """

    placements: dict[int, Placed]
    failed: tuple[int, ...] = ()

    @property
    def best_seed(self) -> int:
        """The seed of the highest clock, the lowest of several; of a design without a clock the first."""
        return max(self.placements, key=lambda seed: (self._clock(seed), -seed))

    @property
    def best(self) -> Placed:
        """The result of that seed."""
        return self.placements[self.best_seed]

    def describe(self) -> dict[str, Any]:
        """The best seed, the lowest and the highest clock in MHz, the clock of each seed, and the seeds that failed."""
        clocks = {seed: round(self._clock(seed), 2) for seed in self.placements}
        return {
            "best_seed": self.best_seed,
            "spread_mhz": [min(clocks.values()), max(clocks.values())],
            "seeds_mhz": clocks,
            "failed_seeds": list(self.failed),
        }

    def _clock(self, seed: int) -> float:
        return self.placements[seed].result.frequency or 0.0


def sweep_seeds(place: Callable[[int], Placed], seeds: int, jobs: int = 1) -> SeedSweep:
    """Place with each of the seeds 1 to ``seeds``; one that fails does not end the others.

    Parameters
    ----------
    place : callable
        Places with a seed: :func:`~.tool_cache.place_once` with all other arguments bound.
    seeds : int
        How many, at least 1.
    jobs : int
        Seeds at a time, at least 1; ``place`` must bear several threads.

    Raises
    ------
    ValueError
        Fewer than 1 of either.
    ToolError
        All seeds failed; the error is that of the first one.
    """
    require_integer("Seeds", seeds, 1)
    require_integer("Jobs", jobs, 1)

    def place_one(seed: int) -> Placed | ToolError:
        try:
            placed = place(seed)
        except ToolError as error:
            logger.warning("seed %d: %s", seed, error)
            return error
        logger.info("seed %d: %.2f MHz", seed, placed.result.frequency or 0.0)
        return placed

    numbers = range(1, seeds + 1)
    with termination_raised():
        results = run_all(jobs, [functools.partial(place_one, seed) for seed in numbers])
    placements = {seed: one for seed, one in zip(numbers, results, strict=True) if isinstance(one, Placed)}
    if not placements:
        assert isinstance(results[0], ToolError)
        raise results[0]
    return SeedSweep(placements, tuple(seed for seed in numbers if seed not in placements))


def sweep_line(described: dict[str, Any]) -> str:
    """A line for people, of what :meth:`SeedSweep.describe` gives."""
    low, high = described["spread_mhz"]
    clocks = described["seeds_mhz"]
    failed = ", ".join(map(str, described["failed_seeds"]))
    line = f"{len(clocks)} seeds: {low} to {high} MHz, the best with seed {described['best_seed']}"
    return f"{line}; failed: {failed}" if failed else line
