"""New scores for a node, after a backup through it or when it has come from its bank."""

from amaranth.hdl import Cat, Const, Module, Signal, signed
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from ..pipeline import delay
from .config import PRIOR_WIDTH, TOTAL_WIDTH, VISIT_WIDTH, TreeConfig
from .exploration_unit import ExplorationUnit
from .records import REGISTERS
from .score_unit import ScoreUnit
from .stage_layouts import edge_place_layout
from .stage_ports import PassPort
from .updater import Updater

__all__ = ["ScorePass", "most_passes"]

# To the first scores: a register, value and factor, which are then written, and the scores.
SCORE_PASS_LATENCY = 1 + Updater.LATENCY + 1 + ScoreUnit.LATENCY


def most_passes(config: TreeConfig) -> int:
    """Passes of one node that can be under way at most: backups come two cycles apart, four before their start."""
    return (SCORE_PASS_LATENCY + config.flits + 4) // 2 + 2


class ScorePass(ConfiguredComponent):
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
        Fields of the node.
    visits, total, prior : In
        Fields of the edge; ``prior`` in PUCT only.
    registers : In(REGISTERS)
        Steady.
    buffer : Out(PassPort)
        Where edges are read, and values and scores written.
    mean_next : Out(1)
        A value and a factor will be written in the next cycle.
    """

    def __init__(self, config: TreeConfig):
        prior = {} if config.policy == "uct" else {"prior": In(PRIOR_WIDTH)}
        super().__init__(
            config,
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
                "buffer": Out(PassPort(config)),
                "mean_next": Out(1),
            },
        )

    @property
    def mean_latency(self):
        """Cycles from ``start`` to the mean."""
        return 1 + Updater.LATENCY

    @property
    def latency(self):
        """Cycles from ``start`` to the last scores."""
        return SCORE_PASS_LATENCY + self._config.flits - 1

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.updater = updater = Updater(config)
        m.submodules.explorer = explorer = ExplorationUnit(config)
        m.submodules.scorer = scorer = ScoreUnit(config, config.lanes)
        active, flit, held = self._hold(m)
        if config.policy != "uct":
            m.d.comb += updater.prior.eq(held["prior"])
        m.d.comb += [
            updater.visits.eq(held["visits"]),
            updater.total.eq(held["total"]),
            explorer.visits.eq(held["node_visits"]),
            explorer.coefficient.eq(self.registers.exploration),
        ]
        slot = self._write_mean(m, updater, active & (flit == 0) & held["has_edge"], held["place"])

        # Edges are read after the write of value and factor.
        reading = updater.latency + 1
        exploration = delay(m, explorer.exploration, reading - explorer.latency, "exploration")
        m.d.comb += [
            self.buffer.read.slot.eq(delay(m, slot, 1, "read_slot")),
            self.buffer.read.flit.eq(delay(m, flit, reading, "flit")),
            scorer.exploration.eq(exploration),
            self.buffer.written.valid.eq(delay(m, active, reading + scorer.latency, "active", reset_less=False)),
        ]
        self._score(m, scorer, delay(m, held["legal"], reading, "legal"))
        return m

    def _hold(self, m):
        """Keeps what is given for as many cycles as there are flits; whether a pass is active, and its flit."""
        flits = self._config.flits
        flit = Signal(range(max(flits, 2)))
        active, last = Signal(), Signal()
        m.d.comb += [
            last.eq(flit == flits - 1),
            self.ready.eq(~active | last),
            self.ready_next.eq(~active | (flit >= flits - 2) if flits > 2 else 1),
        ]
        names = ["place", "has_edge", "node_visits", "legal", "visits", "total"]
        if self._config.policy != "uct":
            names.append("prior")
        held = {name: Signal.like(getattr(self, name), name=f"held_{name}", reset_less=True) for name in names}
        with m.If(self.start):
            m.d.sync += [active.eq(1), flit.eq(0)]
            m.d.sync += [signal.eq(getattr(self, name)) for name, signal in held.items()]
        with m.Elif(last):
            m.d.sync += active.eq(0)
        with m.Else():
            m.d.sync += flit.eq(flit + 1)
        return active, flit, held

    def _write_mean(self, m, updater, first, held_place):
        """Value and factor of the edge to the buffer; the slot, at the same time."""
        place, mean = delay(m, held_place, updater.latency, "place"), self.buffer.mean
        m.d.comb += [
            self.mean_next.eq(delay(m, first, updater.latency - 1, "first", reset_less=False)),
            mean.valid.eq(delay(m, self.mean_next, 1, "mean_next", reset_less=False)),
            mean.place.eq(place),
            mean.value.eq(updater.value),
            mean.factor.eq(updater.factor),
        ]
        return place["slot"]

    def _score(self, m, scorer, legal):
        """Scores of the edges that are read, to the buffer."""
        config, read, written = self._config, self.buffer.read, self.buffer.written
        m.d.comb += [
            scorer.loss.eq(self.registers.loss),
            scorer.first_value.eq(self.registers.first_value),
            written.slot.eq(delay(m, read.slot, scorer.latency, "written_slot")),
            written.flit.eq(delay(m, read.flit, scorer.latency, "written_flit")),
            written.last.eq(written.flit == config.flits - 1),
            written.scores.eq(scorer.scores),
        ]
        padded = Cat(legal, Const(0, config.lanes * config.flits - config.fanout))
        for lane, (edge, scored) in enumerate(zip(self.buffer.edges, scorer.edges, strict=True)):
            m.d.comb += [scored[name].eq(edge[name]) for name in ("value", "factor", "visited", "in_flight")]
            m.d.comb += scored.legal.eq(Cat(padded[lane :: config.lanes]).bit_select(read.flit, 1))
