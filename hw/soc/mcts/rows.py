"""Rows of the search device. No Amaranth here."""

from ...cores.tree.config import TreeConfig
from ...cores.tree.records import (
    ANSWER,
    REQUEST_HEADER,
    ROW_WIDTH,
    edge_record,
    flit_rows,
    node_record,
    request_arguments,
)
from ...cores.tree.requests import RequestKind
from ..shell.row_record import RowRecord, request_row

__all__ = ["rows"]

_REQUESTS = {
    RequestKind.SELECT: "A path from the root to a leaf, for a worker.",
    RequestKind.BACKUP: "The reward of a worker's path, and the actions that are legal at its end.",
    RequestKind.PRIOR: "Priors of the actions 2 * group and 2 * group + 1 at the end of a worker's path.",
    RequestKind.CLEAR: "A tree of a root alone.",
    RequestKind.ADVANCE: "The child of that action becomes the root.",
}


def rows(config: TreeConfig) -> tuple[RowRecord, ...]:
    """Requests, answers, and the nodes that the instruction `read` gives."""
    arguments = request_arguments(config)
    node, edge = node_record(config), edge_record(config)
    return (
        *(
            request_row(kind, REQUEST_HEADER, arguments[kind], ROW_WIDTH, description)
            for kind, description in _REQUESTS.items()
        ),
        RowRecord(name="answer", direction="out", record=ANSWER, width=ROW_WIDTH, description="How a request ended."),
        RowRecord(
            name="node",
            direction="out",
            record=node,
            width=node.width + config.lanes * edge.width,
            description=f"Lowest bits of a part of a node, which takes {flit_rows(config)} rows of the stream; its "
            f"{config.lanes} edges follow.",
        ),
        RowRecord(
            name="edge",
            direction="out",
            record=edge,
            width=edge.width,
            description="What a node keeps of an action; `bank` and `row` mean nothing unless `child` is 1.",
        ),
    )
