"""Reference of the sum tree: requests one after the other, on integers."""

from collections.abc import Iterable

import numpy as np

from ....hw.cores.replay.config import SumTreeConfig
from ....hw.cores.replay.requests import RequestKind, Status
from .kernels import scale, serve_requests
from .requests import Answer, Answers, Request, Requests

__all__ = ["SumTreeReference"]


class SumTreeReference:
    """Answers requests as a :class:`~rewardware.hw.cores.replay.sum_tree.SumTree` does, in values.

    Sums are kept in a binary tree in one array, whatever the fanout: results do not depend on it. All are below 2**56.

    Parameters
    ----------
    config : SumTreeConfig

    Members
    -------
    priorities : numpy.ndarray
        Priorities of all leaves, uint64.
    total : int
    next_leaf : int
        Leaf of the next insertion.
    """

    def __init__(self, config: SumTreeConfig):
        self.config = config
        self._first = 1 << config.index_width
        self.clear()

    def clear(self) -> None:
        """Make all priorities zero."""
        # Node n has the children 2 n and 2 n + 1.
        self._sums = np.zeros(2 * self._first, np.uint64)
        self.next_leaf = 0

    @property
    def priorities(self) -> np.ndarray:
        """Priorities of all leaves."""
        return self._sums[self._first :][: self.config.leaves]

    @property
    def total(self) -> int:
        """Sum of all leaves."""
        return int(self._sums[1])

    def apply(self, requests: Iterable[Request]) -> list[Answer]:
        """The answers to requests, one by one."""
        return [self._answer(request) for request in requests]

    def serve(self, requests: Requests) -> Answers:
        """Answer and do the same as `apply`, compiled."""
        largest = np.uint64((1 << self.config.priority_width) - 1)
        asked = requests.kind, requests.draw, requests.index, requests.priority
        statuses, leaves, befores, totals, self.next_leaf = serve_requests(
            *asked, self._sums, self.config.leaves, largest, self.next_leaf
        )
        return Answers(kind=requests.kind, status=statuses, index=leaves, priority=befores, total=totals)

    def _answer(self, request: Request) -> Answer:
        kind = request.kind
        if kind > max(RequestKind):
            return Answer(kind=kind, status=Status.UNKNOWN_KIND)
        if kind == RequestKind.TOTAL:
            return Answer(kind=kind, status=Status.DONE, total=self.total)
        if kind == RequestKind.SAMPLE:
            if not self.total:
                return Answer(kind=kind, status=Status.EMPTY)
            index = int(self.find(np.array([request.draw], np.uint64))[0])
            return Answer(kind=kind, status=Status.DONE, index=index, priority=int(self.priorities[index]))
        index = self.next_leaf if kind == RequestKind.INSERT else request.index
        if index >= self.config.leaves:
            return Answer(kind=kind, status=Status.OUT_OF_RANGE)
        before = int(self.priorities[index])
        if kind != RequestKind.RETRIEVE:
            if request.priority >> self.config.priority_width:
                return Answer(kind=kind, status=Status.OUT_OF_RANGE)
            self.update(np.array([index]), np.array([request.priority], np.uint64))
            if kind == RequestKind.INSERT:
                self.next_leaf = (index + 1) % self.config.leaves
        return Answer(kind=kind, status=Status.DONE, index=index, priority=before)

    def update(self, indices: np.ndarray, priorities: np.ndarray) -> None:
        """Set priorities, one after the other: of a leaf that is named twice the last one counts.

        Parameters
        ----------
        indices : numpy.ndarray
            Integers, shape (n,).
        priorities : numpy.ndarray
            uint64, shape (n,).
        """
        nodes = np.asarray(indices, np.int64) + self._first
        self._sums[nodes] = priorities
        while nodes[0] > 1:
            nodes = np.unique(nodes >> 1)
            self._sums[nodes] = self._sums[2 * nodes] + self._sums[2 * nodes + 1]

    def find(self, draws: np.ndarray) -> np.ndarray:
        """The leaf of each draw; there has to be one that is not zero.

        Parameters
        ----------
        draws : numpy.ndarray
            uint64 below 2**48, shape (n,).
        """
        sought = scale(np.asarray(draws, np.uint64), self._sums[1]) + np.uint64(1)
        nodes = np.ones(len(sought), np.int64)
        for _ in range(self.config.index_width):
            nodes *= 2
            left = self._sums[nodes]
            goes_right = sought > left
            sought -= np.where(goes_right, left, 0).astype(np.uint64)
            nodes += goes_right
        return nodes - self._first
