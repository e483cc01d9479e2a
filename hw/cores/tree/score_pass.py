"""New scores for a node, after a backup through it or when it has come from its bank."""

from amaranth.hdl import Cat, Const, Module, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..layouts import record_layout
from ..pipeline import delay
from .config import (
    IN_FLIGHT_WIDTH,
    PRIOR_WIDTH,
    TOTAL_WIDTH,
    VISIT_WIDTH,
    TreeConfig,
)
from .exploration_unit import ExplorationUnit
from .layouts import mean_layout
from .records import REGISTERS
from .score_unit import ScoreUnit
from .updater import Updater

__all__ = ["ScorePass", "edge_place_layout", "most_passes", "score_pass_layouts"]

# To the first scores: a register, value and factor, which are then written, and the scores.
SCORE_PASS_LATENCY = 1 + Updater.LATENCY + 1 + ScoreUnit.LATENCY


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


def score_pass_layouts(config: TreeConfig):
    """Of the ports of a :class:`ScorePass` by which it reads and writes edges, by name."""
    slot, flit = range(config.slots), range(max(config.flits, 2))
    mean = dict(mean_layout.members)
    edge = data.StructLayout({**mean, "visited": 1, "in_flight": IN_FLIGHT_WIDTH})
    scores = data.ArrayLayout(signed(config.score_width), config.lanes)
    return {
        "mean": data.StructLayout({"valid": 1, "place": edge_place_layout(config), **mean}),
        "read": data.StructLayout({"slot": slot, "flit": flit}),
        "edges": data.ArrayLayout(edge, config.lanes),
        "written": data.StructLayout({"valid": 1, "last": 1, "slot": slot, "flit": flit, "scores": scores}),
    }


def most_passes(config: TreeConfig) -> int:
    """Passes of one node that can be under way at most: backups come two cycles apart, four before their start."""
    return (SCORE_PASS_LATENCY + config.flits + 4) // 2 + 2


class ScorePass(wiring.Component):
    """Computes value and factor of one edge, then the exploration and all scores of its node, a flit of edges a cycle.

    Backups of one node may follow each other at once: each pass sees all that was written when its edges are read, and
    the last one sees everything. It never waits.

    Latency: from ``start`` to the edge's value and factor ``mean_latency`` cycles, to the last scores ``latency``.
    Throughput: a node in ``flits`` cycles.

    Parameters
    ----------
    config : TreeConfig

    Members
    -------
    start : In(1)
        Begin with the node and the edge given; only while ``ready``.
    ready, ready_next : Out(1)
        A pass can start now; in the next cycle, if none starts now.
    place : In(edge_place_layout)
        Slot of the node; where its edge is, if there is one.
    has_edge : In(1)
        There is an edge whose value and factor are to be computed.
    node_visits, legal : In
        Of the node.
    visits, total, prior : In
        Of the edge; ``prior`` in PUCT only.
    registers : In(REGISTERS)
        Steady.
    mean : Out({valid, place, value, factor})
        Of the edge, to be written: edges are read from the next cycle on.
    mean_next : Out(1)
        One will be there in the next cycle.
    read : Out({slot, flit})
    edges : In(array of {value, factor, visited, in_flight})
        In the same cycle as ``read``.
    written : Out({valid, last, slot, flit, scores})
        Scores of a flit of edges; with the ``last`` ones the pass is over.
    """

    def __init__(self, config: TreeConfig):
        self._config = config
        layouts = score_pass_layouts(config)
        prior = {} if config.policy == "uct" else {"prior": In(PRIOR_WIDTH)}
        super().__init__(
            {
                "start": In(1),
                "ready": Out(1),
                "ready_next": Out(1),
                "place": In(edge_place_layout(config)),
                "has_edge": In(1),
                "node_visits": In(VISIT_WIDTH),
                "legal": In(config.fanout),
                "visits": In(VISIT_WIDTH),
                "total": In(signed(TOTAL_WIDTH)),
                **prior,
                "registers": In(record_layout(REGISTERS)),
                "mean": Out(layouts["mean"]),
                "mean_next": Out(1),
                "read": Out(layouts["read"]),
                "edges": In(layouts["edges"]),
                "written": Out(layouts["written"]),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def mean_latency(self):
        """Cycles from ``start`` to ``mean``."""
        return 1 + Updater.LATENCY

    @property
    def latency(self):
        """Cycles from ``start`` to the last of ``written``."""
        return SCORE_PASS_LATENCY + self._config.flits - 1

    def elaborate(self, platform):
        m = Module()
        config, flits = self._config, self._config.flits
        m.submodules.updater = updater = Updater(config)
        m.submodules.explorer = explorer = ExplorationUnit(config)
        m.submodules.scorer = scorer = ScoreUnit(config, config.lanes)

        # What is given stays for as many cycles as there are flits.
        flit = Signal(range(max(flits, 2)))
        active, last = Signal(), Signal()
        m.d.comb += [
            last.eq(flit == flits - 1),
            self.ready.eq(~active | last),
            self.ready_next.eq(~active | (flit >= flits - 2) if flits > 2 else 1),
        ]
        held = {
            name: Signal.like(getattr(self, name), name=f"held_{name}", reset_less=True)
            for name in ("place", "has_edge", "node_visits", "legal", "visits", "total")
        }
        if config.policy != "uct":
            held["prior"] = Signal(PRIOR_WIDTH, name="held_prior", reset_less=True)
            m.d.comb += updater.prior.eq(held["prior"])
        with m.If(self.start):
            m.d.sync += [active.eq(1), flit.eq(0)]
            m.d.sync += [signal.eq(getattr(self, name)) for name, signal in held.items()]
        with m.Elif(last):
            m.d.sync += active.eq(0)
        with m.Else():
            m.d.sync += flit.eq(flit + 1)
        m.d.comb += [
            updater.visits.eq(held["visits"]),
            updater.total.eq(held["total"]),
            explorer.visits.eq(held["node_visits"]),
            explorer.coefficient.eq(self.registers.exploration),
        ]

        first = Signal()
        m.d.comb += first.eq(active & (flit == 0) & held["has_edge"])
        place = delay(m, held["place"], updater.latency, "place")
        m.d.comb += [
            self.mean_next.eq(delay(m, first, updater.latency - 1, "first", reset_less=False)),
            self.mean.valid.eq(delay(m, self.mean_next, 1, "mean_next", reset_less=False)),
            self.mean.place.eq(place),
            self.mean.value.eq(updater.value),
            self.mean.factor.eq(updater.factor),
        ]

        reading = updater.latency + 1
        read_flit = delay(m, flit, reading, "flit")
        legal = delay(m, held["legal"], reading, "legal")
        exploration = delay(m, explorer.exploration, reading - explorer.latency, "exploration")
        m.d.comb += [
            self.read.slot.eq(delay(m, place["slot"], 1, "read_slot")),
            self.read.flit.eq(read_flit),
            scorer.exploration.eq(exploration),
            scorer.loss.eq(self.registers.loss),
            scorer.first_value.eq(self.registers.first_value),
        ]
        count = config.lanes
        padded = Cat(legal, Const(0, count * flits - config.fanout))
        for lane, (edge, scored) in enumerate(zip(self.edges, scorer.edges, strict=True)):
            m.d.comb += [
                getattr(scored, name).eq(getattr(edge, name)) for name in ("value", "factor", "visited", "in_flight")
            ]
            m.d.comb += scored.legal.eq(Cat(padded[lane::count]).bit_select(read_flit, 1))
        m.d.comb += [
            self.written.valid.eq(delay(m, active, reading + scorer.latency, "active", reset_less=False)),
            self.written.slot.eq(delay(m, self.read.slot, scorer.latency, "written_slot")),
            self.written.flit.eq(delay(m, self.read.flit, scorer.latency, "written_flit")),
            self.written.last.eq(self.written.flit == flits - 1),
            self.written.scores.eq(scorer.scores),
        ]
        return m
