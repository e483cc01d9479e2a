"""Shared tree or local tree, and which batch: what a search guided by a network takes on a processor of several cores.

*Shared*: each of N workers is a thread that selects, has its leaf evaluated in a batch of all N, and backs up. *Local*:
one master thread selects and backs up for all N workers, and batches of B leaves are evaluated meanwhile.

Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, section 5.2, equations 5.3 and 5.4
and Algorithm 4.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ...hw.cores.checks import require_integer

__all__ = [
    "SCHEMES",
    "BatchSearch",
    "MachineModel",
    "MeasuredEvaluation",
    "PaperModel",
    "ParallelismChoice",
    "ParallelismModel",
    "SearchTimes",
    "balanced_batches",
    "choose_parallelism",
    "find_batch",
    "find_batch_in_noise",
]

SCHEMES = ("shared", "local")


@dataclass(frozen=True, kw_only=True)
class MeasuredEvaluation:
    """Seconds of an evaluation as a function of the batch: straight lines between measured batches.

    Smaller and larger batches than were measured are on the first and the last line; a single one stands for all.

    Parameters
    ----------
    seconds : dict of int to float
        Seconds of a batch of so many positions.

    Raises
    ------
    ValueError
        No batch was measured, or one of less than 1.
    """

    seconds: Mapping[int, float]

    def __post_init__(self) -> None:
        if not self.seconds or min(self.seconds) < 1:
            raise ValueError(f"Batches must be measured, each of at least 1, not {sorted(self.seconds)}")

    def __call__(self, batch: int) -> float:
        known = sorted(self.seconds)
        if len(known) == 1:
            return self.seconds[known[0]]
        above = next((place for place in range(1, len(known)) if known[place] >= batch), len(known) - 1)
        low, high = known[above - 1], known[above]
        slope = (self.seconds[high] - self.seconds[low]) / (high - low)
        return max(self.seconds[low] + slope * (batch - low), 0.0)


@dataclass(frozen=True, kw_only=True)
class SearchTimes:
    """Seconds that the parts of a search take, each measured by itself.

    Parameters
    ----------
    selection, backup : float
        Seconds of one worker on one thread.
    access : float
        Seconds of the accesses to the shared tree that only one thread has at a time, for one worker.
    evaluation : callable
        Seconds of a batch by its size, without its transfer: T_DNN-compute.
    transfer_latency : float
        L, of each transfer whatever it carries.
    transfer_bandwidth : float
        Positions a second.
    """

    selection: float
    backup: float
    access: float
    evaluation: Callable[[int], float]
    transfer_latency: float = 0.0
    transfer_bandwidth: float = math.inf

    @property
    def in_tree(self) -> float:
        """T_select + T_backup."""
        return self.selection + self.backup

    def transfer(self, workers: int, batch: int) -> float:
        """T_PCIe: seconds in which a position of each worker is transferred, in batches."""
        return workers / batch * self.transfer_latency + workers / self.transfer_bandwidth


class ParallelismModel(Protocol):
    """Seconds in which each of N workers does one simulation: its selection, evaluation and backup."""

    def shared(self, workers: int) -> float:
        """The seconds of N threads on one tree."""
        ...

    def local(self, workers: int, batch: int) -> float:
        """The seconds of a master thread and batches of B."""
        ...


@dataclass(frozen=True)
class PaperModel:
    """Equations 5.3 and 5.4, as printed.

    The form for a processor alone is the same with batches of 1 and no transfer: each thread evaluates its own leaf.

    Parameters
    ----------
    times : SearchTimes
    on_processor : bool
        Whether each worker's thread evaluates its own leaf.
    """

    times: SearchTimes
    on_processor: bool = False

    def shared(self, workers: int) -> float:
        """Equation 5.3; the evaluation of a batch of N is with its transfer."""
        times = self.times
        in_tree = times.access * workers + times.in_tree
        if self.on_processor:
            return in_tree + times.evaluation(1)
        return in_tree + times.transfer(workers, workers) + times.evaluation(workers)

    def local(self, workers: int, batch: int) -> float:
        """Equation 5.4."""
        times = self.times
        if self.on_processor:
            return max(times.in_tree * workers, times.evaluation(1))
        return max(times.in_tree * workers, times.transfer(workers, batch), times.evaluation(batch))


@dataclass(frozen=True, kw_only=True)
class MachineModel:
    """The paper's equations with what they leave out on a machine of few cores.

    * ``cores``: threads beyond the cores run in turn. Selections and backups of N threads take at least their sum over
      the cores, and the master shares the cores with evaluations.
    * ``evaluation_cores``: cores that an evaluation keeps busy; 0 where it is an accelerator that evaluates.
    * ``shared_handover``, ``local_handover``: seconds until the evaluating thread has a batch, and a waiting one has
      its answer. The master spends them for each batch.
    * The loop: N workers under way are N / B batches, and a batch is filled, evaluated and backed up before its workers
      select again. However fast the rest is, this takes B (T_select + T_backup) + T_DNN(B).

    The local scheme's seconds are the largest of the bounds of a closed queueing network: no schedule is faster than
    any of them.

    Parameters
    ----------
    times : SearchTimes
    cores : int
    evaluation_cores : float
    shared_handover, local_handover : float
    """

    times: SearchTimes
    cores: int
    evaluation_cores: float = 0.0
    shared_handover: float = 0.0
    local_handover: float = 0.0

    def __post_init__(self) -> None:
        require_integer("Cores", self.cores, 1)
        for name in ("evaluation_cores", "shared_handover", "local_handover"):
            if (value := getattr(self, name)) < 0:
                raise ValueError(f"{name} must be at least 0, not {value:g}")

    def _batch_seconds(self, batch: int) -> float:
        return self.times.transfer(batch, batch) + self.times.evaluation(batch)

    def shared(self, workers: int) -> float:
        """Equation 5.3 with ``cores`` and ``shared_handover``."""
        times, threads = self.times, min(workers, self.cores)
        alone = times.in_tree + times.access * workers
        in_turn = (times.in_tree + times.access) * workers / threads
        return max(alone, in_turn) + self.shared_handover + self._batch_seconds(workers)

    def local(self, workers: int, batch: int) -> float:
        """Equation 5.4 with the loop, ``cores`` and ``local_handover``: the largest of `bounds`."""
        return max(self.bounds(workers, batch).values())

    def bounds(self, workers: int, batch: int) -> dict[str, float]:
        """Seconds below which a resource, by its name, does not let the local scheme go."""
        times, batches = self.times, workers / batch
        master = times.in_tree * workers + self.local_handover * batches
        evaluating = self.times.evaluation(batch)
        return {
            "master": master,
            "transfer": times.transfer(workers, batch),
            "loop": times.in_tree * batch + self.local_handover + self._batch_seconds(batch),
            "cores": (master + batches * evaluating * self.evaluation_cores) / self.cores,
        }


@dataclass(frozen=True, kw_only=True)
class BatchSearch:
    """The result of `find_batch`.

    Parameters
    ----------
    batch : int
        B.
    tried : dict of int to float
        Seconds of each batch that was tried, in the order in which they were.
    """

    batch: int
    tried: Mapping[int, float]


def find_batch(seconds: Callable[[int], float], low: int, high: int) -> BatchSearch:
    """Algorithm 4: the batch of the least time in a *V-sequence*, in at most 2 ceil(log2(high - low + 1)) trials.

    A V-sequence falls, or stays, down to its least value, and from there on rises with each batch. The algorithm then
    finds a least value. In any other sequence it finds a local minimum of what it measured: no slower than its left
    neighbour, and faster than its right one. Two equal times on the rising side are enough for that: the algorithm
    takes them for the falling one and goes on to their right. So is noise that turns two neighbours around.

    Parameters
    ----------
    seconds : callable
        Seconds of a batch; each is asked once.
    low, high : int
        Smallest and largest batch.

    Raises
    ------
    ValueError
        The smallest batch is below 1, or above the largest.
    """
    tried: dict[int, float] = {}
    return BatchSearch(batch=_find(seconds, _range(low, high), tried), tried=tried)


def balanced_batches(workers: int) -> list[int]:
    """Batches in which N selections under way are a whole number of batches, or nearly: ceil(N / E) of every number E
    of batches under way at once.

    Between two of them there are as many batches under way, of which one is emptier: their times go up and down with
    what is left over, and are no V-sequence.

    Raises
    ------
    ValueError
        Less than one worker.
    """
    require_integer("Workers", workers, 1)
    return sorted({-(-workers // batches) for batches in range(1, workers + 1)})


def find_batch_in_noise(seconds: Callable[[int], float], batches: Sequence[int]) -> BatchSearch:
    """Algorithm 4 on batches that are about a third apart, then on those around the best; the result is the best tried.

    Measured times of neighbours differ by little, and noise turns them around; far from the least value that costs
    most. Batches further apart differ by more, and where the algorithm went wrong all the same, what it tried before
    is not forgotten. For a V-sequence the result has the time of `find_batch`'s, for up to twice as many trials.

    Parameters
    ----------
    seconds : callable
        Seconds of a batch; each is asked once.
    batches : sequence of int
        Among which, each larger than the one before.

    Raises
    ------
    ValueError
        There is none, or they are in another order.
    """
    if not batches or any(below >= above for below, above in zip(batches, batches[1:], strict=False)):
        raise ValueError(f"Batches must be at least one, each larger than the one before, not {list(batches)}")
    tried, apart = dict[int, float](), [batches[0]]
    for batch in batches[1:]:
        if batch == batches[-1] or batch >= apart[-1] + max(apart[-1] // 3, 1):
            apart.append(batch)
    _find(seconds, apart, tried)
    place = apart.index(min(tried, key=tried.__getitem__)) if tried else 0
    first, last = apart[max(place - 1, 0)], apart[min(place + 1, len(apart) - 1)]
    around = [batch for batch in batches if first <= batch <= last]
    _find(seconds, around, tried)
    return BatchSearch(batch=min(tried, key=tried.__getitem__) if tried else batches[0], tried=tried)


def _range(low: int, high: int) -> range:
    require_integer("Smallest batch", low, 1)
    require_integer("Largest batch", high, low)
    return range(low, high + 1)


def _find(seconds: Callable[[int], float], batches: Sequence[int], tried: dict[int, float]) -> int:
    """The batch that Algorithm 4 finds among some, in their order; trials are remembered."""

    def trial(place: int) -> float:
        batch = batches[place]
        if batch not in tried:
            tried[batch] = seconds(batch)
        return tried[batch]

    low, high = 0, len(batches) - 1
    while low < high:
        middle = (low + high) // 2
        if trial(middle) >= trial(middle + 1):
            low = middle + 1
        else:
            high = middle
    return batches[low]


@dataclass(frozen=True, kw_only=True)
class ParallelismChoice:
    """A scheme for a number of workers, and what the other one would take.

    Parameters
    ----------
    workers : int
        N.
    scheme : str
        One of :data:`SCHEMES`, the faster one by the model; among equal ones the shared one.
    batch : int
        Batch of the scheme: N for the shared one.
    local_batch : int
        The best batch of the local scheme by the model.
    shared, local : float
        Seconds in which each worker does one simulation.
    """

    workers: int
    scheme: str
    batch: int
    local_batch: int
    shared: float
    local: float


def choose_parallelism(model: ParallelismModel, workers: int) -> ParallelismChoice:
    """The faster scheme for N workers by a model, the local one with its best batch by `find_batch`.

    Raises
    ------
    ValueError
        Less than one worker.
    """
    require_integer("Workers", workers, 1)
    batch = find_batch(lambda size: model.local(workers, size), 1, workers).batch
    shared, local = model.shared(workers), model.local(workers, batch)
    scheme = "local" if local < shared else "shared"
    return ParallelismChoice(
        workers=workers,
        scheme=scheme,
        batch=batch if scheme == "local" else workers,
        local_batch=batch,
        shared=shared,
        local=local,
    )
