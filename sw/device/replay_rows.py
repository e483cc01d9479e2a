"""Requests and answers of a sum tree as the rows of 64 bits that a device takes and gives."""

import numpy as np

from ...hw.cores.records import Record
from ...hw.cores.replay.records import ANSWER, ARGUMENTS, HEADER, TOTAL
from ...hw.cores.replay.requests import RequestKind
from ..reference.replay.requests import Answers, Requests

__all__ = ["pack_beats", "pack_requests", "unpack_answers"]


def pack_requests(requests: Requests) -> np.ndarray:
    """The rows of requests: uint64, shape (n,); of a kind that there is not, the header alone."""
    rows = requests.kind.astype(np.uint64)
    for kind, record in ARGUMENTS.items():
        chosen = requests.kind == kind
        for name, (shift, _) in _places(record, HEADER.width).items():
            rows[chosen] |= requests.columns()[name][chosen].astype(np.uint64) << shift
    return rows


def pack_beats(rows: np.ndarray, lanes: int) -> np.ndarray:
    """Rows side by side, shape (beats, lanes); after the last one requests for the total, which change nothing."""
    beats = np.full((-(-len(rows) // lanes), lanes), int(RequestKind.TOTAL), np.uint64)
    beats.flat[: len(rows)] = rows
    return beats


def unpack_answers(rows: np.ndarray) -> Answers:
    """The answers in rows: uint64, shape (n,)."""
    leaf, total = (
        {name: rows >> shift & mask for name, (shift, mask) in _places(record).items()} for record in (ANSWER, TOTAL)
    )
    is_total = leaf["kind"] == RequestKind.TOTAL
    return Answers(
        kind=leaf["kind"].astype(np.int64),
        status=leaf["status"].astype(np.int64),
        index=np.where(is_total, 0, leaf["index"]).astype(np.int64),
        priority=np.where(is_total, 0, leaf["priority"]).astype(np.uint64),
        total=np.where(is_total, total["total"], 0).astype(np.uint64),
    )


def _places(record: Record, first: int = 0) -> dict[str, tuple[np.uint64, np.uint64]]:
    """Lowest bit and mask of each field of a record that begins at a bit."""
    return {
        field.name: (np.uint64(first + offset), np.uint64((1 << field.width) - 1))
        for field, offset in zip(record.fields, record.offsets, strict=True)
    }
