"""Requests and answers of a sum tree as rows of 64 bits."""

from dataclasses import dataclass

from ....hw.cores.replay.records import ANSWER, ARGUMENTS, HEADER, TOTAL, RequestKind, Status

__all__ = ["Answer", "pack_request"]


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
