"""Requests and answers of a search tree as the rows of 64 bits that a device takes and gives."""

from collections.abc import Iterable

import numpy as np

from ...hw.cores.tree.config import TreeConfig
from ...hw.cores.tree.records import ANSWER, REQUEST_HEADER, request_arguments
from ...hw.cores.tree.requests import RequestKind, Status
from ..reference.tree.requests import Answer, Request
from .errors import DeviceError

__all__ = ["pack_request", "pack_requests", "unpack_answer", "unpack_answers"]


def pack_request(config: TreeConfig, request: Request) -> int:
    """The row of a request; of a kind that there is not, the header alone.

    Raises
    ------
    TypeError, ValueError
        A number that is no integer, or out of its field's range.
    """
    row = REQUEST_HEADER.pack({"kind": request.kind, "worker": request.worker})
    if request.kind not in list(RequestKind):
        return row
    record = request_arguments(config)[RequestKind(request.kind)]
    arguments = record.pack({field.name: getattr(request, field.name) for field in record.fields})
    return row | arguments << REQUEST_HEADER.width


def pack_requests(config: TreeConfig, requests: Iterable[Request]) -> np.ndarray:
    """The rows of requests: uint64, shape (n,)."""
    return np.array([pack_request(config, request) for request in requests], np.uint64)


def unpack_answer(row: int) -> Answer:
    """The answer in a row.

    Raises
    ------
    DeviceError
        A status that there is not.
    """
    values = ANSWER.unpack(row)
    status = values.pop("status")
    if status not in list(Status):
        raise DeviceError(f"The search tree answered with the unknown status {status}: row {row:#018x}")
    return Answer(status=Status(status), **values)


def unpack_answers(rows: np.ndarray) -> list[Answer]:
    """The answers in rows: uint64, shape (n,)."""
    return [unpack_answer(row) for row in rows.tolist()]
