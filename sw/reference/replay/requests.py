"""Requests to a sum tree and its answers, as values: one by one, and in columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from ....hw.cores.checks import require_integer
from ....hw.cores.replay.config import DRAW_WIDTH, INDEX_WIDTH, PRIORITY_WIDTH
from ....hw.cores.replay.requests import RequestKind, Status

__all__ = ["Answer", "Answers", "Request", "Requests"]

WIDTHS = {"draw": DRAW_WIDTH, "index": INDEX_WIDTH, "priority": PRIORITY_WIDTH}
# Types of columns; draws and priorities are computed with modulo 2**64.
TYPES = {"draw": np.uint64, "priority": np.uint64, "total": np.uint64}


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request to the tree; fields that its kind ignores are 0.

    Real numbers have been rounded already: a draw is an integer of 48 fraction bits, a priority one of the tree's
    format.

    Parameters
    ----------
    kind : int
        A :class:`.RequestKind`; a number without one is answered with an error.
    draw : int
        Draw of a sample.
    index : int
        The leaf of an update or a retrieval.
    priority : int
        Priority of an update or an insertion.

    Raises
    ------
    TypeError, ValueError
        A number that is no integer, or that no tree has.
    """

    kind: int
    draw: int = 0
    index: int = 0
    priority: int = 0

    def __post_init__(self) -> None:
        for name, width in WIDTHS.items():
            require_integer(name.capitalize(), getattr(self, name), 0, (1 << width) - 1)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The tree's answer to a request; fields that its kind lacks are 0.

    Parameters
    ----------
    kind : int
        Kind of the request, a :class:`.RequestKind` unless the status says that it is unknown.
    status : Status
    index, priority : int
        A leaf, and the priority it had before the request.
    total : int
        Sum of all leaves.
    """

    kind: int
    status: Status
    index: int = 0
    priority: int = 0
    total: int = 0


class _Columns:
    """A dataclass of arrays of one length."""

    def __len__(self) -> int:
        return len(self.columns()["kind"])

    @classmethod
    def names(cls) -> list[str]:
        """Names of the columns."""
        return list(cls.__annotations__)

    def columns(self) -> dict[str, np.ndarray]:
        """By name."""
        return vars(self)

    def part(self, first: int, end: int) -> Self:
        """The rows from one to before another."""
        return type(self)(**{name: column[first:end] for name, column in self.columns().items()})

    @classmethod
    def join(cls, parts: Iterable[Self]) -> Self:
        """All rows, in order."""
        parts = list(parts)
        return cls(
            **{name: np.concatenate([_column(name, 0), *(vars(part)[name] for part in parts)]) for name in cls.names()}
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Requests(_Columns):
    """Requests, one after another.

    Parameters
    ----------
    kind, index : array of int64, shape (n,)
    draw, priority : array of uint64, shape (n,)
        As those of a :class:`Request`.
    """

    kind: np.ndarray
    draw: np.ndarray
    index: np.ndarray
    priority: np.ndarray

    @classmethod
    def of(cls, kind: RequestKind, count: int, **columns: np.ndarray) -> Self:
        """``count`` requests of one kind; a column is an array of integers in their range."""
        made = {name: _column(name, count) for name in WIDTHS if name not in columns}
        for name, values in columns.items():
            made[name] = values.astype(_type(name), copy=False)
        return cls(kind=np.full(count, int(kind), np.int64), **made)

    @classmethod
    def gather(cls, requests: Sequence[Request]) -> Self:
        """Single ones in columns."""
        return cls(
            **{name: np.array([getattr(request, name) for request in requests], _type(name)) for name in cls.names()}
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class Answers(_Columns):
    """Answers, one after another.

    Parameters
    ----------
    kind, status, index : array of int64, shape (n,)
    priority, total : array of uint64, shape (n,)
        As those of an :class:`Answer`.
    """

    kind: np.ndarray
    status: np.ndarray
    index: np.ndarray
    priority: np.ndarray
    total: np.ndarray

    def each(self) -> list[Answer]:
        """One by one."""
        rows = zip(*(column.tolist() for column in self.columns().values()), strict=True)
        return [
            Answer(kind=kind, status=Status(status), index=index, priority=priority, total=total)
            for kind, status, index, priority, total in rows
        ]


def _type(name: str) -> type:
    return TYPES.get(name, np.int64)


def _column(name: str, count: int) -> np.ndarray:
    return np.zeros(count, _type(name))
