"""Driver of the replay manager: priorities of experiences, wherever the sum tree is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...hw.cores.checks import require_integer
from ...hw.cores.random.xorshift import advance, state_from_seed
from ...hw.cores.replay.requests import RequestKind, Status
from ...hw.soc.pearl.instructions import COUNT_WIDTH
from ..core.extent import extent
from ..reference.replay.requests import Answers, Requests
from .driver import Driver
from .errors import DeviceError
from .priority_units import priority_units
from .replay_backends import SumTreeBackend, segment_width

__all__ = ["ReplayDevice", "Samples"]

# Requests that go to the sum tree at once.
PACKET = 4096


@dataclass(frozen=True)
class Samples:
    """A batch.

    Parameters
    ----------
    indices : numpy.ndarray
        Indices of leaves, int64.
    priorities : numpy.ndarray
        Priority of each leaf, float64.
    total : float
        Sum of all priorities.
    """

    indices: np.ndarray
    priorities: np.ndarray
    total: float


class ReplayDevice(Driver):
    """Samples, retrieves, updates and inserts priorities.

    A priority is rounded to the nearest number of the tree's format, one above 0 to the least of them at least: what is
    to be sampled stays so.

    Parameters
    ----------
    backend : SumTreeBackend
        It is closed with this. A board forgets what it has kept from before.
    seed : int
        Seed of the draws.

    Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, sections 2.1.1 and 4.4.1.
    """

    holds = "sum tree"
    backend: SumTreeBackend

    def __init__(self, backend: SumTreeBackend, seed: int = 0):
        super().__init__(backend)
        self._next_leaf = 0
        self._seed(state_from_seed(seed))
        self.clear()

    def _seed(self, state: int) -> None:
        self.backend.seed(state)
        # The device does not tell the state of its generator: it is that many draws after this one.
        self._generator, self._draws = state, 0

    def sample(self, count: int, *, stratified: bool = True) -> Samples:
        """A batch, each experience as likely as its priority is large.

        Parameters
        ----------
        count : int
            From 1 to 65 535.
        stratified : bool
            One of each of ``count`` parts of the total, in their order; else each of the whole.

        Raises
        ------
        ValueError
            All priorities are zero.
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        require_integer("Number of samples", count, 1, (1 << COUNT_WIDTH) - 1)
        answers = self.backend.sample(count, segment_width(count) if stratified else 0)
        self._draws += count
        total = int(answers.total[-1])
        if not total:
            raise ValueError("There is nothing to sample: all priorities are zero")
        return Samples(answers.index[:-1], answers.priority[:-1].astype(np.int64) / self._unit, total / self._unit)

    def insert(self, priorities: Sequence[float] | np.ndarray) -> np.ndarray:
        """Give priorities to the next experiences; their indices, int64. After the last leaf is the first.

        Raises
        ------
        ValueError
            A priority that is negative, not finite or over the format; nothing is inserted.
        DeviceError
            The device was closed.
        """
        return self._insert(self._units(priorities))

    def _insert(self, units: np.ndarray) -> np.ndarray:
        answers = self._ask(RequestKind.INSERT, priority=units)
        self._next_leaf = (self._next_leaf + len(units)) % self.config.leaves
        return answers.index

    def update(self, indices: Sequence[int] | np.ndarray, priorities: Sequence[float] | np.ndarray) -> None:
        """Set priorities, in order: of an index that is there twice the last one counts.

        Raises
        ------
        ValueError
            A priority that is negative, not finite or over the format; an index that is no leaf's; not as many of the
            one as of the other; nothing is changed.
        DeviceError
            The device was closed.
        """
        units, leaves = self._units(priorities), self._indices(indices)
        if len(units) != len(leaves):
            raise ValueError(f"There must be as many priorities as indices, {len(leaves)}, not {len(units)}")
        self._ask(RequestKind.UPDATE, index=leaves, priority=units)

    def retrieve(self, indices: Sequence[int] | np.ndarray) -> np.ndarray:
        """Priorities, float64; errors as those of :meth:`update`."""
        return self._retrieve(self._indices(indices)) / self._unit

    def _retrieve(self, leaves: np.ndarray) -> np.ndarray:
        return self._ask(RequestKind.RETRIEVE, index=leaves).priority.astype(np.int64)

    def total(self) -> float:
        """Sum of all priorities.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        return int(self.backend.request(Requests.of(RequestKind.TOTAL, 1)).total[0]) / self._unit

    def clear(self) -> None:
        """Forget all priorities; the next insertion is to the first leaf.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        self.backend.clear()
        self._next_leaf = 0

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, int]]:
        """All that its answers depend on, wherever the sum tree is: arrays and plain numbers.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        arrays = {"priorities": self._retrieve(np.arange(self.config.leaves))}
        return arrays, {"next_leaf": self._next_leaf, "generator": advance(self._generator, self._draws)}

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, int]) -> None:
        """Take back what :meth:`state` gave.

        Raises
        ------
        ValueError
            It is of a tree with another number of leaves, or with a larger priority than this one has.
        DeviceError
            The device was closed.
        """
        units, next_leaf = np.asarray(arrays["priorities"], np.int64), rest["next_leaf"]
        if len(units) != self.config.leaves:
            raise ValueError(f"There must be {self.config.leaves} priorities, not {len(units)}")
        self._units(units / self._unit)
        self.clear()
        # Insertions alone make the next leaf the next one; after it are those of a tree that was full.
        self._insert(units[:next_leaf])
        kept = next_leaf + np.flatnonzero(units[next_leaf:])
        self._ask(RequestKind.UPDATE, index=kept, priority=units[kept])
        self._seed(rest["generator"])

    @property
    def _unit(self) -> float:
        return float(1 << self.config.priority_fraction)

    def _units(self, priorities: Any) -> np.ndarray:
        values = np.asarray(priorities, np.float64).reshape(-1)
        largest = (1 << self.config.priority_width) - 1
        units, wrong = priority_units(values, self._unit, largest)
        if wrong >= 0:
            raise ValueError(
                f"Priorities must be from 0 to {largest / self._unit:g}, not {values[wrong]:g} (number {wrong})"
            )
        return units

    def _indices(self, indices: Any) -> np.ndarray:
        values = np.asarray(indices)
        if values.size and values.dtype.kind not in "iu":
            raise TypeError(f"Indices must be integers, not {values.dtype}")
        values = values.astype(np.int64).reshape(-1)
        least, greatest = extent(values) if values.size else (0, 0)
        if not (least >= 0 and greatest < self.config.leaves):
            wrong = (values < 0) | (values >= self.config.leaves)
            raise ValueError(f"Indices must be from 0 to {self.config.leaves - 1}, not {values[wrong][0]}")
        return values

    def _ask(self, kind: RequestKind, **arguments: np.ndarray) -> Answers:
        """The answers, all of them done."""
        self._refuse_if_closed()
        (count,) = {len(values) for values in arguments.values()}
        requests = Requests.of(kind, count, **arguments)
        if count <= PACKET:
            answers = self.backend.request(requests)
        else:
            packets = [requests.part(first, first + PACKET) for first in range(0, count, PACKET)]
            answers = Answers.join([self.backend.request(packet) for packet in packets])
        if answers.status.any():
            status = Status(answers.status[answers.status != Status.DONE][0])
            raise DeviceError(f"Request {kind.name.lower()} was refused: {status.name.lower()}")
        return answers
