"""Times of the parts of a search on the machine at hand, for the models that choose how it is parallel."""

import dataclasses
import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...core.environments.legal_actions import action_list
from ...mapping.tree_parallelism import MachineModel, MeasuredEvaluation, PaperModel, SearchTimes
from ...search.batch_evaluation import evaluate_fixed
from ...search.emulated_evaluator import EmulatedEvaluator
from ...search.position_evaluator import PositionEvaluator
from ...search.search_roots import observed
from .timed_searches import Setting, TimedSearches, local_tree, measure_in_turn, shared_tree

__all__ = ["SearchProfile", "profile_search"]

# Evaluations of each batch that are timed, and looks at what they take together.
EVALUATIONS, LOOKS = 25, 5
# Threads that ask for evaluations at once, at most, and calls of each.
CALLERS, CALLS = 8, 6


@dataclass(frozen=True, kw_only=True)
class SearchProfile:
    """Seconds of the parts of a search, each measured by itself.

    Parameters
    ----------
    selection, backup : float
        Seconds of one worker on one thread, by the search's own counters; a selection is with its expansion.
    position : float
        What a simulation takes on the searching thread besides: planes of the position, its way through the queue.
    access : float
        What a simulation takes longer where N threads share the tree: locks, and threads that wake.
    shared_handover, local_handover : float
        Seconds of a batch on its way to the evaluating thread and back, with as many workers as cores.
    evaluation : dict of int to float
        Seconds of a batch by its size, alone on the machine, with the rounding of priors.
    serial : dict of int to float
        Seconds of a batch, the smallest and the largest, where several threads ask at once: what evaluations cannot
        overlap, be it a link, the processor's cores or Python's lock.
    evaluation_cores : float
        Cores that an evaluation keeps busy.
    cores : int
        Cores of the machine.
    """

    selection: float
    backup: float
    position: float
    access: float
    shared_handover: float
    local_handover: float
    evaluation: dict[int, float]
    serial: dict[int, float]
    evaluation_cores: float
    cores: int

    @property
    def times(self) -> SearchTimes:
        """Times as the models take them: what evaluations cannot overlap is the transfer, the rest the computing."""
        latency, each = _line(self.serial)
        compute = {batch: max(seconds - latency - each * batch, 0.0) for batch, seconds in self.evaluation.items()}
        return SearchTimes(
            selection=self.selection + self.position,
            backup=self.backup,
            access=self.access,
            evaluation=MeasuredEvaluation(seconds=compute),
            transfer_latency=latency,
            transfer_bandwidth=1 / each if each else float("inf"),
        )

    @property
    def paper_model(self) -> PaperModel:
        """Equations 5.3 and 5.4."""
        return PaperModel(self.times)

    @property
    def machine_model(self) -> MachineModel:
        """The same with what the machine adds."""
        return MachineModel(
            times=self.times,
            cores=self.cores,
            evaluation_cores=self.evaluation_cores,
            shared_handover=self.shared_handover,
            local_handover=self.local_handover,
        )

    def as_data(self) -> dict[str, Any]:
        """Plain data."""
        return dataclasses.asdict(self)


def _line(points: dict[int, float]) -> tuple[float, float]:
    """The seconds paid once, and those for each position, neither below 0, of a straight line through two points."""
    low, high = min(points), max(points)
    first, last = points[low], points[high]
    if low == high:
        return first, 0.0
    each = max((last - first) / (high - low), 0.0)
    return max(first - each * low, 0.0), each


def profile_search(searches: TimedSearches, workers: int, repeats: int) -> SearchProfile:
    """Time the parts of a search.

    Parameters
    ----------
    searches : TimedSearches
    workers : int
        The largest N that is to be modelled.
    repeats : int
        Searches of each setting, of which the median counts.
    """
    batches = _batches(workers)
    evaluator, cores = searches.evaluator, os.cpu_count() or 1
    looked_at = _positions(searches, workers)
    processor, wall = time.process_time(), time.perf_counter()
    evaluation = {batch: _evaluation_seconds(evaluator, looked_at, batch) for batch in batches}
    share = (time.process_time() - processor) / (time.perf_counter() - wall)
    ends = {1, workers}
    serial = {batch: min(_serial_seconds(evaluator, looked_at, batch), evaluation[batch]) for batch in sorted(ends)}
    one, all_workers, shared = local_tree(1, 1), local_tree(workers, workers), shared_tree(workers)
    # An evaluator that costs next to nothing shows best what is around it.
    free = EmulatedEvaluator(0.0, 0.0)
    with TimedSearches(searches.environment, free, searches.config) as probe:
        selection, backup = probe.in_tree(all_workers)
        around = _around(probe, (one, all_workers, shared), looked_at, repeats)
    in_tree, threads = selection + backup, min(workers, cores)
    each = max(_line({1: around[one], workers: around[all_workers]})[1], in_tree)
    handover = max(around[one] - each, 0.0)
    # Threads wake the later the longer they slept: here as long as an evaluation takes, whose own time is known.
    asleep = EmulatedEvaluator(MeasuredEvaluation(seconds=evaluation)(threads), 0.0)
    with TimedSearches(searches.environment, asleep, searches.config) as probe:
        few = _around(probe, (shared_tree(threads), local_tree(threads, threads)), looked_at, repeats)
    shared_handover, local_handover = (max(seconds - each * threads, 0.0) for seconds in few.values())
    return SearchProfile(
        selection=selection,
        backup=backup,
        position=each - in_tree,
        access=max((around[shared] - handover) * threads / workers - each, 0.0),
        shared_handover=shared_handover,
        local_handover=local_handover,
        evaluation=evaluation,
        serial=serial,
        evaluation_cores=share,
        cores=cores,
    )


def _around(
    searches: TimedSearches, settings: Sequence[Setting], looked_at: Sequence[np.ndarray], repeats: int
) -> dict[Setting, float]:
    """Seconds in which each worker does one simulation, without the evaluation of their batch."""
    timed = measure_in_turn({setting: partial(searches.seconds, setting) for setting in settings}, repeats)
    return {
        setting: statistics.median(found) * setting.workers
        - _evaluation_seconds(searches.evaluator, looked_at, setting.workers)
        for setting, found in timed.items()
    }


def _batches(workers: int) -> list[int]:
    """Powers of two, and N."""
    return sorted({workers, *(1 << power for power in range(workers.bit_length()))} - {0})


def _positions(searches: TimedSearches, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Planes and legal actions of positions after the first moves of a game, the same moves each time."""
    environment, generator, states = searches.environment, np.random.default_rng(0), list[Any]()
    environment.reset(0)
    while len(states) < count:
        states.append(environment.save())
        _, ended = environment.step(int(generator.choice(action_list(environment.legal_actions()))))
        if ended:
            environment.reset(0)
    return observed(environment, states)


def _evaluation_seconds(evaluator: PositionEvaluator, looked_at: Sequence[np.ndarray], batch: int) -> float:
    """Seconds of one batch alone, the median of several."""
    arguments = [array[:batch] for array in looked_at]
    evaluate_fixed(evaluator, *arguments)
    found = []
    for _ in range(EVALUATIONS):
        started = time.perf_counter()
        evaluate_fixed(evaluator, *arguments)
        found.append(time.perf_counter() - started)
    return statistics.median(found)


def _serial_seconds(evaluator: PositionEvaluator, looked_at: Sequence[np.ndarray], batch: int) -> float:
    """Seconds over batches where several threads ask for them all the time, the median of several."""
    arguments = [array[:batch] for array in looked_at]
    return statistics.median(_together(lambda: evaluate_fixed(evaluator, *arguments)) for _ in range(LOOKS))


def _together(call: Callable[[], Any]) -> float:
    """Seconds over calls that several threads make at once."""

    def calls(count: int) -> None:
        for _ in range(count):
            call()

    with ThreadPoolExecutor(CALLERS) as pool:
        # Threads are made as they are needed: most of them here, before the clock starts.
        list(pool.map(calls, [1] * CALLERS))
        started = time.perf_counter()
        list(pool.map(calls, [CALLS] * CALLERS))
        return (time.perf_counter() - started) / (CALLERS * CALLS)
