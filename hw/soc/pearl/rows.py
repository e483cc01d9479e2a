"""Rows of the replay manager. No Amaranth here."""

from ...cores.replay.records import ANSWER, ARGUMENTS, HEADER, ROW_WIDTH, TOTAL
from ...cores.replay.requests import RequestKind
from ..shell.row_record import RowRecord, request_row

__all__ = ["ROWS"]

_REQUESTS = {
    RequestKind.SAMPLE: "The leaf of a draw.",
    RequestKind.RETRIEVE: "The priority of the leaf `index`; `priority` means nothing.",
    RequestKind.UPDATE: "A new priority for the leaf `index`.",
    RequestKind.INSERT: "A priority for the next leaf; `index` means nothing.",
    RequestKind.TOTAL: "The sum of all leaves.",
}

ROWS = (
    *(request_row(kind, HEADER, ARGUMENTS[kind], ROW_WIDTH, description) for kind, description in _REQUESTS.items()),
    RowRecord(
        name="answer",
        direction="out",
        record=ANSWER,
        width=ROW_WIDTH,
        description="A leaf and its priority; of an update and an insertion the one before. All zeros with an error.",
    ),
    RowRecord(
        name="total_answer",
        direction="out",
        record=TOTAL,
        width=ROW_WIDTH,
        description="The sum of all leaves.",
        constants={"kind": RequestKind.TOTAL},
    ),
)
