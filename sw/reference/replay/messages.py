"""Requests and answers of a sum tree as rows of 64 bits."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ....hw.cores.records import Record
from ....hw.cores.replay.records import ANSWER, ARGUMENTS, HEADER, TOTAL, RequestKind, Status

__all__ = ["Answer", "pack_request", "pack_requests", "pack_rows", "unpack_rows"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the tree says to a request; what the kind does not have is 0.

    Parameters
    ----------
    kind : int
        Of the request, a :class:`.RequestKind` unless the status says that it is unknown.
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

    def pack(self) -> int:
        """The row."""
        header = {"kind": self.kind, "status": self.status}
        if self.kind == RequestKind.TOTAL:
            return TOTAL.pack({**header, "total": self.total})
        return ANSWER.pack({**header, "index": self.index, "priority": self.priority})

    @classmethod
    def unpack(cls, row: int) -> "Answer":
        """The answer in a row."""
        values = ANSWER.unpack(row)
        if values["kind"] == RequestKind.TOTAL:
            values = TOTAL.unpack(row)
        return cls(status=Status(values.pop("status")), **values)


def pack_request(kind: RequestKind, **arguments: int) -> int:
    """The row of a request; of ``RETRIEVE`` and ``INSERT`` what they do not look at is 0.

    Raises
    ------
    TypeError, ValueError
        An argument that the kind does not have, or lacks; a value out of its field's range.
    """
    if kind in (RequestKind.RETRIEVE, RequestKind.INSERT):
        arguments = {"index": 0, "priority": 0} | arguments
    return HEADER.pack({"kind": kind}) | ARGUMENTS[kind].pack(arguments) << HEADER.width


def pack_requests(kind: RequestKind, count: int, **arguments: np.ndarray) -> np.ndarray:
    """Rows of ``count`` requests of a kind, uint64; an argument is an array of numbers that fit its field."""
    fields = ARGUMENTS[kind].fields
    values = {field.name: arguments.get(field.name, np.zeros(count, np.uint64)) for field in fields}
    rows = np.full(count, kind, np.uint64)
    return rows | pack_rows(ARGUMENTS[kind], values) << np.uint64(HEADER.width) if fields else rows


def pack_rows(record: Record, values: Mapping[str, np.ndarray]) -> np.ndarray:
    """What :meth:`.Record.pack` gives for each element of arrays, uint64, of numbers that fit unsigned fields."""
    rows, offset = np.zeros((), np.uint64), 0
    for field in record.fields:
        rows = rows | np.asarray(values[field.name]).astype(np.uint64) << np.uint64(offset)
        offset += field.width
    return rows


def unpack_rows(record: Record, rows: np.ndarray) -> dict[str, np.ndarray]:
    """What :meth:`.Record.unpack` gives for each row, uint64, of unsigned fields."""
    values, offset = {}, 0
    for field in record.fields:
        values[field.name] = rows >> np.uint64(offset) & np.uint64((1 << field.width) - 1)
        offset += field.width
    return values
