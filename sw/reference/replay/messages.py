"""Requests and answers of a sum tree as rows of 64 bits."""

from dataclasses import dataclass

import numpy as np

from ....hw.cores.records import Record
from ....hw.cores.replay.records import ANSWER, ARGUMENTS, HEADER, TOTAL
from ....hw.cores.replay.requests import RequestKind, Status

__all__ = ["Answer", "pack_beats", "pack_request", "pack_requests", "unpack_answers"]


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
    rows = np.full(count, int(kind), np.uint64)
    for name, (shift, _) in _ARGUMENTS[kind].items():
        if name in arguments:
            rows |= arguments[name].astype(np.uint64) << shift
    return rows


def pack_beats(rows: np.ndarray, lanes: int) -> np.ndarray:
    """Rows side by side, shape (beats, lanes); behind the last one requests for the total, which change nothing."""
    beats = np.full((-(-len(rows) // lanes), lanes), int(RequestKind.TOTAL), np.uint64)
    beats.flat[: len(rows)] = rows
    return beats


def unpack_answers(rows: np.ndarray, *names: str) -> list[np.ndarray]:
    """Fields of the answers in rows, uint64, by name; ``total`` of answers to ``TOTAL`` alone."""
    return [rows >> shift & mask for shift, mask in (_ANSWER[name] for name in names)]


def _places(record: Record, offset: int = 0) -> dict[str, tuple[np.uint64, np.uint64]]:
    """Lowest bit and mask of each field of a record that begins at a bit."""
    places = {}
    for field in record.fields:
        places[field.name] = np.uint64(offset), np.uint64((1 << field.width) - 1)
        offset += field.width
    return places


_ARGUMENTS = {kind: _places(record, HEADER.width) for kind, record in ARGUMENTS.items()}
_ANSWER = _places(TOTAL) | _places(ANSWER)
