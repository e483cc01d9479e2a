"""Amaranth layouts of what passes between the stages of the search, and between a stage and the banks."""

from amaranth.lib import data, enum

from ..layouts import record_layout
from .config import TreeConfig
from .layouts import edge_layout, node_layout
from .records import KIND_WIDTH, LEVEL_WIDTH, STATUS_WIDTH, request_arguments
from .requests import ACTION_WIDTH, WORKER_WIDTH

__all__ = [
    "CommandKind",
    "bank_command_layout",
    "edge_place_layout",
    "flit_layout",
    "grant_layout",
    "place_layout",
    "routed_command_layout",
    "selection_layout",
    "stage_request_layout",
]


def place_layout(config: TreeConfig):
    """Where a node is; as an integer, its number ``bank * rows + row``."""
    return data.StructLayout({"row": config.row_width, "bank": config.bank_width})


def edge_place_layout(config: TreeConfig):
    """Where an edge lies in a node buffer: its action is ``flit * lanes + lane``."""
    return data.StructLayout(
        {
            "slot": range(config.slots),
            "action": range(config.fanout),
            "flit": range(max(config.flits, 2)),
            "lane": range(max(config.lanes, 2)),
        }
    )


def selection_layout(config: TreeConfig):
    """A selection on its way through the stages.

    ``descends`` is 1 while it goes on, to ``node``, which is ``inserted`` and then still to be written; when it has
    ended, ``node`` is its end, 0 without one. ``may_insert`` says that fewer than X nodes are there. ``is_first`` and
    ``asks`` tell the exit that the new node is the first of its level, and that it left the level with few rows.
    ``level``, ``action`` and ``parent`` are the answer's.
    """
    place = place_layout(config)
    return data.StructLayout(
        {
            "node": place,
            "descends": 1,
            "inserted": 1,
            "may_insert": 1,
            "is_first": 1,
            "asks": 1,
            "level": LEVEL_WIDTH,
            "action": ACTION_WIDTH,
            "parent": place,
        }
    )


def stage_request_layout(config: TreeConfig):
    """A request on its way through the stages, with its answer so far.

    ``accepted`` is 0 for what stages only pass on: errors, clear, advance. ``answered`` is 0 for what the entrance
    makes up. ``status`` is that of the answer; a selection's counts once the selection has ended.
    """
    arguments = {kind.name.lower(): record_layout(record) for kind, record in request_arguments(config).items()}
    body = {"select": selection_layout(config), "backup": arguments["backup"]}
    if config.policy != "uct":
        body["prior"] = arguments["prior"]
    return data.StructLayout(
        {
            "kind": KIND_WIDTH,
            "worker": WORKER_WIDTH,
            "status": STATUS_WIDTH,
            "accepted": 1,
            "answered": 1,
            "body": data.UnionLayout(body),
        }
    )


def grant_layout(config: TreeConfig):
    """A block of rows for the level below a stage, its current one or the reserve; ``given`` is 0 if none is left."""
    return data.StructLayout({"valid": 1, "reserve": 1, "given": 1, "node": place_layout(config)})


class CommandKind(enum.Enum, shape=2):  # type: ignore[call-arg]
    """Kinds of commands to a bank, each about a row."""

    READ = 0
    CLEAR = 1
    WRITE = 2


def bank_command_layout(config: TreeConfig):
    """``READ`` sends the node to ``slot`` of the stage, ``WRITE`` writes what the flags say.

    ``CLEAR`` makes the node a new one: ``node``, and ``edge`` for all its edges.
    """
    return data.StructLayout(
        {
            "kind": CommandKind,
            "row": config.row_width,
            "slot": range(config.slots),
            "write_node": 1,
            "write_edge": 1,
            "action": range(config.fanout),
            "node": node_layout(config),
            "edge": edge_layout(config),
        }
    )


def routed_command_layout(config: TreeConfig):
    """A command and the bank that it is for."""
    return data.StructLayout({"bank": config.bank_width, "body": bank_command_layout(config)})


def flit_layout(config: TreeConfig):
    """A part of a node, as a bank sends it: flits 0, 1, ... come in this order, each with the node's header."""
    return data.StructLayout(
        {
            "slot": range(config.slots),
            "flit": range(max(config.flits, 2)),
            "node": node_layout(config),
            "edges": data.ArrayLayout(edge_layout(config), config.lanes),
        }
    )
