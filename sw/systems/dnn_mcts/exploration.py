"""Scheme and batch for numbers of workers: what the models say, and what searches take."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...mapping.tree_parallelism import (
    BatchSearch,
    ParallelismChoice,
    ParallelismModel,
    balanced_batches,
    choose_parallelism,
    find_batch_in_noise,
)
from .profile import SearchProfile, profile_search
from .timed_searches import Setting, TimedSearches, local_tree, measure_in_turn, median_ratio, shared_tree

__all__ = ["Exploration", "WorkersExploration", "explore_searches", "try_batches"]

# The fastest batches are measured once more, compared with each other: noise chose among them.
FINALISTS = 3


@dataclass(frozen=True, kw_only=True)
class WorkersExploration:
    """Models, trials and times of one number of workers.

    Parameters
    ----------
    workers : int
        N.
    paper, machine : ParallelismChoice
        By equations 5.3 and 5.4, and by the same with what the machine adds.
    trials : BatchSearch
        Results of `try_batches`, whose times are over those of the shared tree beside them.
    timed : dict of Setting to list of float
        Seconds a simulation of both schemes, and of the local tree that evaluates each position by itself, measured in
        turn.
    """

    workers: int
    paper: ParallelismChoice
    machine: ParallelismChoice
    trials: BatchSearch
    timed: Mapping[Setting, Sequence[float]]

    @property
    def shared(self) -> Setting:
        """The shared tree."""
        return shared_tree(self.workers)

    @property
    def local(self) -> Setting:
        """The local tree with the batch of the trials."""
        return local_tree(self.workers, self.trials.batch)

    @property
    def single(self) -> Setting:
        """The local tree with N evaluators, each of one position."""
        return local_tree(self.workers, 1)

    @property
    def chosen(self) -> Setting:
        """The scheme of the machine's model, as the source chooses it, with the batch of the trials."""
        return self.shared if self.machine.scheme == "shared" else self.local

    @property
    def faster(self) -> Setting:
        """The faster one of both schemes, as measured."""
        return self.shared if self.ratio(self.local, self.shared) > 1 else self.local

    def seconds(self, setting: Setting) -> float:
        """Median seconds in which each worker does one simulation."""
        return self.workers * statistics.median(self.timed[setting])

    def ratio(self, over: Setting, under: Setting) -> float:
        """The ratio of the times of two settings, the median of those measured one beside the other."""
        return median_ratio(self.timed[over], self.timed[under])


@dataclass(frozen=True, kw_only=True)
class Exploration:
    """The exploration of a game and an evaluator.

    Parameters
    ----------
    profile : SearchProfile
    by_workers : list of WorkersExploration
    """

    profile: SearchProfile
    by_workers: list[WorkersExploration]


def explore_searches(searches: TimedSearches, workers: Sequence[int], repeats: int) -> Exploration:
    """Profile, ask the models, and try.

    Parameters
    ----------
    searches : TimedSearches
    workers : sequence of int
        Numbers of workers.
    repeats : int
        Searches of each setting, of which the median counts.
    """
    profile = profile_search(searches, max(workers), repeats)
    return Exploration(
        profile=profile, by_workers=[_explore_workers(searches, profile, count, repeats) for count in workers]
    )


def _explore_workers(searches: TimedSearches, profile: SearchProfile, workers: int, repeats: int) -> WorkersExploration:
    trials = try_batches(searches, workers, repeats)
    settings = dict.fromkeys((shared_tree(workers), local_tree(workers, trials.batch), local_tree(workers, 1)))
    return WorkersExploration(
        workers=workers,
        paper=choose_parallelism(profile.paper_model, workers),
        machine=choose_parallelism(profile.machine_model, workers),
        trials=trials,
        timed=_in_turn(searches, settings, repeats),
    )


def try_batches(searches: TimedSearches, workers: int, repeats: int) -> BatchSearch:
    """The batch of the local tree by trials: Algorithm 4, and the best of what it tried measured once more.

    Parameters
    ----------
    searches : TimedSearches
    workers : int
        N.
    repeats : int
        Searches of each trial, of which the median counts; twice as many in the end.
    """

    def trial(batch: int) -> float:
        """Beside the shared tree: what the machine does at the time is taken out."""
        local = local_tree(workers, batch)
        timed = _in_turn(searches, (local, shared), repeats)
        return median_ratio(timed[local], timed[shared])

    shared = shared_tree(workers)
    trials = find_batch_in_noise(trial, balanced_batches(workers))
    fastest = sorted(trials.tried, key=trials.tried.__getitem__)[:FINALISTS]
    finalists = {batch: local_tree(workers, batch) for batch in fastest}
    if len(finalists) < 2:
        return trials
    timed = _in_turn(searches, list(finalists.values()), 2 * repeats)
    times = {batch: timed[setting] for batch, setting in finalists.items()}
    best = min(times, key=lambda batch: median_ratio(times[batch], times[fastest[0]]))
    return BatchSearch(batch=best, tried=trials.tried)


def _in_turn(searches: TimedSearches, settings: Iterable[Setting], repeats: int) -> dict[Setting, list[float]]:
    return measure_in_turn({setting: partial(searches.seconds, setting) for setting in settings}, repeats)


def as_data(found: Exploration) -> dict[str, Any]:
    """Plain data."""
    profile = found.profile
    return {
        "profile": profile.as_data(),
        "workers": [
            {
                "workers": one.workers,
                "scheme": one.chosen.scheme,
                "batch": one.chosen.batch,
                "faster": one.faster.scheme,
                "seconds": {
                    "shared": one.seconds(one.shared),
                    "local": one.seconds(one.local),
                    "local_single": one.seconds(one.single),
                },
                "paper": _choice(one.paper),
                "machine": _choice(one.machine),
                "trials": {
                    "batch": one.trials.batch,
                    "seconds": {batch: ratio * one.seconds(one.shared) for batch, ratio in one.trials.tried.items()},
                },
                "model": {
                    "paper": _by_batch(profile.paper_model, one.workers),
                    "machine": _by_batch(profile.machine_model, one.workers),
                },
            }
            for one in found.by_workers
        ],
    }


def _choice(choice: ParallelismChoice) -> dict[str, Any]:
    return {
        "scheme": choice.scheme,
        "batch": choice.local_batch,
        "shared": choice.shared,
        "local": choice.local,
    }


def _by_batch(model: ParallelismModel, workers: int) -> dict[int, float]:
    return {batch: model.local(workers, batch) for batch in range(1, workers + 1)}
