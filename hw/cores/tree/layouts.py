"""Amaranth layouts of the records of the search tree."""

from amaranth.hdl import signed
from amaranth.lib import data

from ..layouts import record_layout
from .config import FACTOR_WIDTH, VALUE_WIDTH, TreeConfig
from .records import ANSWER, REQUEST_HEADER, edge_record, node_record, request_arguments

__all__ = ["answer_layout", "edge_layout", "mean_layout", "node_layout", "request_layout"]


answer_layout = record_layout(ANSWER)
# Results of an edge's visits and rewards.
mean_layout = data.StructLayout({"value": signed(VALUE_WIDTH), "factor": FACTOR_WIDTH})


def request_layout(config: TreeConfig):
    """``kind``, ``worker`` and ``arguments.<kind>.<field>``, the kinds in small letters."""
    arguments = {kind.name.lower(): record_layout(record) for kind, record in request_arguments(config).items()}
    header = record_layout(REQUEST_HEADER)
    return data.StructLayout({**dict(header.members), "arguments": data.UnionLayout(arguments)})


def node_layout(config: TreeConfig):
    """The fields of a node besides its edges."""
    return record_layout(node_record(config))


def edge_layout(config: TreeConfig):
    """The fields of an edge."""
    return record_layout(edge_record(config))
