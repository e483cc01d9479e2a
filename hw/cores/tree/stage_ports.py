"""Ports between the parts of a stage."""

from amaranth.hdl import signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .config import IN_FLIGHT_WIDTH, TreeConfig
from .layouts import edge_layout, mean_layout, node_layout
from .stage_layouts import edge_place_layout, place_layout

__all__ = ["EdgePort", "FrontPort", "LookupPort", "PassPort", "RowPort", "ScorePort", "write_layout"]

# Which parts of a node and an edge are written.
write_layout = data.StructLayout({"links": 1, "statistics": 1, "mean": 1, "node": 1})


class LookupPort(wiring.Signature):
    """Where a node is looked up among the tags of a stage, seen from :class:`.Arrival`.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    node : Out(place_layout)
        It is looked up in one cycle and acquired in one that follows, and stays until then.
    hit : In(1)
        It was there in the cycle before, or on its way.
    slot : In(range(slots))
        The one it has, or else the candidate.
    free : In(1)
        The candidate can be taken, as it could in the cycle before.
    acquire : Out(1)
        A request needs the node: it takes its slot, or the candidate, which must be free.
    scored_when_filled : Out(1)
        For a node that takes the candidate: whether its scores are to be made when it comes.
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            {
                "node": Out(place_layout(config)),
                "hit": In(1),
                "slot": In(range(config.slots)),
                "free": In(1),
                "acquire": Out(1),
                "scored_when_filled": Out(1),
            }
        )


class FrontPort(wiring.Signature):
    """The slot of the request at the head of the queue, seen from :class:`.Choice`.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    front : Out(range(slots))
    filled, settled : In(1)
        Whether its node has come; and whether no scores of it are to be written any more.
    begin_pass : Out(1)
        A backup of its node will make new scores.
    """

    def __init__(self, config: TreeConfig):
        super().__init__({"front": Out(range(config.slots)), "filled": In(1), "settled": In(1), "begin_pass": Out(1)})


class ScorePort(wiring.Signature):
    """The scores of a node, seen from :class:`.Choice`.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    front : Out(range(slots))
        Slot to choose in.
    keys : In(array of scores)
        The scores of all edges of its node.
    evaluated, terminal : In(1)
        Whether the node is.
    choose : Out(1)
        Write the score of an edge of the node: ``chosen_edge`` (a bit an edge) and ``score``.
    """

    def __init__(self, config: TreeConfig):
        score = signed(config.score_width)
        super().__init__(
            {
                "front": Out(range(config.slots)),
                "keys": In(data.ArrayLayout(score, config.fanout)),
                "evaluated": In(1),
                "terminal": In(1),
                "choose": Out(1),
                "chosen_edge": Out(config.fanout),
                "score": Out(score),
            }
        )


class EdgePort(wiring.Signature):
    """An edge and its node, read and written, seen from :class:`.Update`.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    place : Out(edge_place_layout)
        The edge to read, as ``edge``, with its node, as ``node``.
    write : Out(write_layout)
        Write parts of ``new_edge`` to ``new_place``, or the ``new_node``.
    """

    def __init__(self, config: TreeConfig):
        place = edge_place_layout(config)
        super().__init__(
            {
                "place": Out(place),
                "edge": In(edge_layout(config)),
                "node": In(node_layout(config)),
                "write": Out(write_layout),
                "new_place": Out(place),
                "new_edge": Out(edge_layout(config)),
                "new_node": Out(node_layout(config)),
            }
        )


class PassPort(wiring.Signature):
    """The edges of a flit, read, and values and scores, written, seen from :class:`.ScorePass`.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    mean : Out({valid, place, value, factor})
        Value and factor of an edge, to be written: edges are read from the next cycle on.
    read : Out({slot, flit})
    edges : In(array of {value, factor, visited, in_flight})
        In the same cycle as ``read``.
    written : Out({valid, last, slot, flit, scores})
        Scores of a flit of edges; with the ``last`` ones the pass is over.
    """

    def __init__(self, config: TreeConfig):
        slot, flit = range(config.slots), range(max(config.flits, 2))
        mean = dict(mean_layout.members)
        edge = data.StructLayout({**mean, "visited": 1, "in_flight": IN_FLIGHT_WIDTH})
        scores = data.ArrayLayout(signed(config.score_width), config.lanes)
        super().__init__(
            {
                "mean": Out(data.StructLayout({"valid": 1, "place": edge_place_layout(config), **mean})),
                "read": Out(data.StructLayout({"slot": slot, "flit": flit})),
                "edges": In(data.ArrayLayout(edge, config.lanes)),
                "written": Out(
                    data.StructLayout({"valid": 1, "last": 1, "slot": slot, "flit": flit, "scores": scores})
                ),
            }
        )


class RowPort(wiring.Signature):
    """Rows for the new nodes of the next level, seen from :class:`.Update`.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    take : Out(1)
        The row is taken; only while it is ``available``.
    available : In(1)
        There is a row.
    waiting : In(1)
        There is none, but it is not known yet whether there will be one.
    row : In(place_layout)
        Where the next node goes.
    is_first, asks : In(1)
        The next node is the first; it leaves so few rows that a reserve is due.
    """

    def __init__(self, config: TreeConfig):
        super().__init__(
            {
                "take": Out(1),
                "available": In(1),
                "waiting": In(1),
                "row": In(place_layout(config)),
                "is_first": In(1, init=1),
                "asks": In(1),
            }
        )
