"""Requests and answers as rows of 64 bits."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from ....hw.cores.tree.config import TreeConfig
from ....hw.cores.tree.records import ANSWER, REQUEST_HEADER, request_arguments
from ....hw.cores.tree.requests import RequestKind, Status

__all__ = ["Answer", "pack_request"]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the tree says to a request.

    Parameters
    ----------
    kind : int
        Of the request, a :class:`.RequestKind` unless the status says that it is unknown.
    worker : int
    status : Status
    level : int
        Edges of the selection: the level of its node, or of the one it lacks.
    action, parent : int
        The last edge of the selection.
    node : int
        The end of the selection; of clear and advance, the root.
    """

    kind: int
    worker: int
    status: Status
    level: int = 0
    action: int = 0
    parent: int = 0
    node: int = 0

    def pack(self) -> int:
        """The row."""
        return ANSWER.pack(asdict(self))

    @classmethod
    def unpack(cls, row: int) -> "Answer":
        """The answer in a row."""
        values = ANSWER.unpack(row)
        return cls(status=Status(values.pop("status")), **values)


def pack_request(config: TreeConfig, kind: RequestKind, worker: int = 0, **arguments: int) -> int:
    """The row of a request.

    Raises
    ------
    TypeError, ValueError
        An argument that the kind does not have, or lacks; a value out of its field's range.
    """
    record = request_arguments(config)[kind]
    header: Mapping[str, int] = {"kind": kind, "worker": worker}
    return REQUEST_HEADER.pack(header) | record.pack(arguments) << REQUEST_HEADER.width
