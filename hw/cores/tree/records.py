"""Bits of requests, answers, nodes and edges, as tables. No Amaranth here.

Gateware makes its layouts from them (:mod:`.layouts`), drivers their words. References do not know them.
"""

from ..records import Field, Record
from .config import (
    COEFFICIENT_WIDTH,
    FACTOR_WIDTH,
    IN_FLIGHT_WIDTH,
    LOSS_WIDTH,
    PRIOR_WIDTH,
    REWARD_WIDTH,
    SCORE_FRACTION,
    TOTAL_WIDTH,
    VALUE_WIDTH,
    VISIT_WIDTH,
    TreeConfig,
)
from .requests import ACTION_WIDTH, GROUP_WIDTH, WORKER_WIDTH, RequestKind, Status

__all__ = [
    "ANSWER",
    "COUNTERS",
    "COUNTER_WIDTH",
    "KIND_WIDTH",
    "REGISTERS",
    "REQUEST_HEADER",
    "ROW_WIDTH",
    "edge_record",
    "flit_rows",
    "new_edge",
    "node_record",
    "request_arguments",
]

# Bits of requests and answers, and of their fields.
ROW_WIDTH = 64
KIND_WIDTH, STATUS_WIDTH, LEVEL_WIDTH, NODE_WIDTH = 3, 4, 7, 16

REQUEST_HEADER = Record((Field("kind", KIND_WIDTH, values=RequestKind), Field("worker", WORKER_WIDTH)))

ANSWER = Record(
    (
        *REQUEST_HEADER.fields,
        Field("status", STATUS_WIDTH, values=Status),
        Field("level", LEVEL_WIDTH),
        Field("action", ACTION_WIDTH),
        Field("parent", NODE_WIDTH),
        Field("node", NODE_WIDTH),
    )
)

# Constants of the scores, and whether rewards count negative on odd levels.
REGISTERS = Record(
    (
        Field("exploration", COEFFICIENT_WIDTH),
        Field("loss", LOSS_WIDTH),
        Field("first_value", VALUE_WIDTH, signed=True),
        Field("alternate", 1),
    )
)

COUNTER_WIDTH = 32
# Counters of a search; after the greatest number comes 0. ``intervals`` of the ``selections`` that entered the
# tree came right after another one, for which alone they had waited; ``interval_cycles`` lie between the two, so that
# the mean is what the tree takes for a selection; likewise of backups. In ``assigning_cycles`` a block of rows was
# being assigned, or taken back.
COUNTERS = Record(
    tuple(
        Field(name, COUNTER_WIDTH)
        for name in (
            "selections", "intervals", "interval_cycles", "backup_intervals", "backup_interval_cycles",
            "assigning_cycles",
        )
    )
)  # fmt: skip


def request_arguments(config: TreeConfig) -> dict[RequestKind, Record]:
    """Arguments that follow the header of each kind of request."""
    state = (Field("terminal", 1), Field("legal", config.fanout))
    return {
        RequestKind.SELECT: Record(()),
        RequestKind.BACKUP: Record((Field("reward", REWARD_WIDTH, signed=True), *state)),
        RequestKind.PRIOR: Record(
            (Field("group", GROUP_WIDTH), Field("even_prior", PRIOR_WIDTH), Field("odd_prior", PRIOR_WIDTH))
        ),
        RequestKind.CLEAR: Record(state),
        RequestKind.ADVANCE: Record((Field("action", ACTION_WIDTH),)),
    }


def node_record(config: TreeConfig) -> Record:
    """Fields of a node besides its edges."""
    return Record(
        (Field("visits", VISIT_WIDTH), Field("evaluated", 1), Field("terminal", 1), Field("legal", config.fanout))
    )


def edge_record(config: TreeConfig) -> Record:
    """A node's record of an action; ``bank`` and ``row`` mean nothing unless ``child`` is 1."""
    prior = () if config.policy == "uct" else (Field("prior", PRIOR_WIDTH),)
    return Record(
        (
            Field("visits", VISIT_WIDTH),
            Field("total", TOTAL_WIDTH, signed=True),
            Field("value", VALUE_WIDTH, signed=True),
            Field("factor", FACTOR_WIDTH),
            *prior,
            Field("in_flight", IN_FLIGHT_WIDTH),
            Field("child", 1),
            Field("bank", config.bank_width),
            Field("row", config.row_width),
        )
    )


def flit_rows(config: TreeConfig) -> int:
    """Rows of a packet that a flit of a node takes, with the node's own record."""
    return -(-(node_record(config).width + config.lanes * edge_record(config).width) // ROW_WIDTH)


def new_edge(config: TreeConfig) -> int:
    """The word of an edge of a new node: all is 0 but the factor, 1 in UCT, in PUCT the prior ``2**16 // fanout``."""
    record = edge_record(config)
    values = dict.fromkeys((field.name for field in record.fields), 0)
    if config.policy == "uct":
        values["factor"] = 1 << SCORE_FRACTION
    else:
        values["prior"] = values["factor"] = (1 << SCORE_FRACTION) // config.fanout
    return record.pack(values)
