"""Searches of one position by both schemes, timed."""

import contextlib
import dataclasses
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...core.environments.board_environment import BoardEnvironment
from ...search.host_search import SYNCHRONOUS, HostSearch
from ...search.position_evaluator import PositionEvaluator
from ...search.search_config import SearchConfig

__all__ = [
    "Setting",
    "TimedSearches",
    "local_tree",
    "measure_in_turn",
    "median_ratio",
    "shared_tree",
    "synchronous_tree",
]


@dataclass(frozen=True, kw_only=True)
class Setting:
    """How a search is parallel.

    Parameters
    ----------
    scheme : str
        ``"synchronous"``, ``"shared"`` or ``"local"``.
    workers : int
        N.
    batch : int or None
        B; None where the scheme has no batch of its own.
    """

    scheme: str
    workers: int
    batch: int | None = None

    def __str__(self) -> str:
        batch = "" if self.batch is None else f", B = {self.batch}"
        return f"{self.scheme}, N = {self.workers}{batch}"


def synchronous_tree(workers: int) -> Setting:
    """Rounds of N selections on one thread, each evaluated at once."""
    return Setting(scheme=SYNCHRONOUS, workers=workers)


def shared_tree(workers: int) -> Setting:
    """A shared tree, whose batch is always N."""
    return Setting(scheme="shared", workers=workers, batch=workers)


def local_tree(workers: int, batch: int) -> Setting:
    """A local tree with N / B evaluators."""
    return Setting(scheme="local", workers=workers, batch=batch)


class TimedSearches:
    """Times searches from the first position of a game, each in a new tree; no evaluation is remembered.

    Parameters
    ----------
    environment : BoardEnvironment
    evaluator : PositionEvaluator
        It stays open.
    config : SearchConfig
        Its workers are those of each setting.
    """

    def __init__(self, environment: BoardEnvironment, evaluator: PositionEvaluator, config: SearchConfig):
        self.environment, self.evaluator, self.config = environment, evaluator, config
        environment.reset(0)
        self._state = environment.save()
        self._opened = contextlib.ExitStack()
        self._searches: dict[Setting, HostSearch] = {}

    def search(self, setting: Setting) -> HostSearch:
        """The search of a setting, opened and warm."""
        if setting not in self._searches:
            found = self._opened.enter_context(
                HostSearch(
                    self.environment,
                    self.evaluator,
                    dataclasses.replace(self.config, workers=setting.workers),
                    scheme=setting.scheme,
                    batch=setting.batch,
                    cached=0,
                )
            )
            found.search([self._state], simulations=min(2 * setting.workers, self.config.simulations))
            self._searches[setting] = found
        return self._searches[setting]

    def seconds(self, setting: Setting) -> float:
        """Wall-clock seconds of a search over its simulations."""
        search = self.search(setting)
        started = time.perf_counter()
        search.search([self._state])
        return (time.perf_counter() - started) / self.config.simulations

    def in_tree(self, setting: Setting) -> tuple[float, float]:
        """Seconds of a selection with its expansion, and of a backup, as the search itself counts them."""
        search = self.search(setting)
        before = search.counters()
        search.search([self._state])
        after = search.counters()
        select, backup = (
            1e-9 * (after[name] - before[name]) / self.config.simulations
            for name in ("select_nanoseconds", "backup_nanoseconds")
        )
        return select, backup

    def close(self) -> None:
        """Close all searches."""
        self._opened.close()
        self._searches.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def measure_in_turn(arms: Mapping[Any, Callable[[], float]], repeats: int) -> dict[Any, list[float]]:
    """Several measurements of each arm, all arms once before any of them again: the machine's mood is theirs alike."""
    found: dict[Any, list[float]] = {name: [] for name in arms}
    for _ in range(repeats):
        for name, measure in arms.items():
            found[name].append(measure())
    return found


def median_ratio(over: Sequence[float], under: Sequence[float]) -> float:
    """The median of the ratios of measurements that were made one beside the other."""
    return statistics.median(one / other for one, other in zip(over, under, strict=True))
