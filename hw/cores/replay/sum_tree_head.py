"""Where requests enter a sum tree."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from ..layouts import record_layout
from ..pipeline import delay
from .config import PRIORITY_WIDTH, SumTreeConfig
from .draw_scaler import DrawScaler
from .layouts import changes, clear_layout, travelling_layout
from .records import ARGUMENTS, HEADER, ROW_WIDTH, RequestKind, Status

__all__ = ["SumTreeHead"]

KNOWN = 2  # cycles to a leaf's old priority and the total


class SumTreeHead(wiring.Component):
    """Checks requests, keeps the leaves and the total in their order, and finds what a sample looks for.

    An update has to say at the root by how much its leaf changes. So the priorities are kept here too, as a list,
    beside the sums of the last level.

    Latency: 6 cycles (leaf, difference, total, draw 3). Throughput: a request a cycle. No back-pressure.

    Parameters
    ----------
    config : SumTreeConfig

    Members
    -------
    request : In({valid, row})
        A row of :mod:`.records`.
    leaving : Out(travelling_layout of level 0)
    clear : In(clear_layout)
        Not while a request is here. With row 0, the next insertion is to the first leaf and the total is 0, too.
    """

    LATENCY = KNOWN + 1 + DrawScaler.LATENCY

    def __init__(self, config: SumTreeConfig):
        self._config = config
        super().__init__(
            {
                "request": In(data.StructLayout({"valid": 1, "row": ROW_WIDTH})),
                "leaving": Out(travelling_layout(config, 0)),
                "clear": In(clear_layout(config)),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from ``request`` to ``leaving``."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        config = self._config
        layout = travelling_layout(config, 0)
        header, arguments = HEADER.width, self.request.row[HEADER.width :]
        kind = self.request.row[:header]
        leaf = Signal(record_layout(ARGUMENTS[RequestKind.UPDATE]))
        m.d.comb += Value.cast(leaf).eq(arguments)

        # A leaf's old priority is read as the new one is written.
        entered = Signal(layout)
        next_leaf = Signal(range(config.leaves))
        m.d.comb += [
            entered.valid.eq(self.request.valid),
            entered.kind.eq(kind),
            entered.index.eq(Mux(kind == RequestKind.INSERT, next_leaf, leaf.index)),
            entered.status.eq(self._status(kind, leaf)),
        ]
        writes = Signal()
        m.d.comb += writes.eq(entered.valid & changes(entered))
        with m.If(writes & (kind == RequestKind.INSERT)):
            m.d.sync += next_leaf.eq(Mux(next_leaf == config.leaves - 1, 0, next_leaf + 1))
        m.submodules.leaves = leaves = Memory(shape=config.priority_width, depth=config.leaves, init=[])
        reader, writer = leaves.read_port(), leaves.write_port()
        m.d.comb += [
            reader.addr.eq(entered.index),
            writer.addr.eq(Mux(self.clear.valid, self.clear.row, entered.index)),
            writer.data.eq(Mux(self.clear.valid, 0, leaf.priority)),
            writer.en.eq(writes | self.clear.valid),
        ]

        # Then it is known what changes.
        known, request = Signal(layout), Signal(layout)
        priority = delay(m, leaf.priority[: config.priority_width], 1, "priority")
        m.d.sync += [
            known.eq(entered),
            request.eq(known),
            request.priority.eq(reader.data),
            request.amount.eq(priority - reader.data),
        ]

        # Then the total is that of this request's turn.
        total, turn, seen = Signal(config.total_width), Signal(layout), Signal(config.total_width)
        m.d.sync += [turn.eq(request), seen.eq(total)]
        with m.If(self.clear.valid & (self.clear.row == 0)):
            m.d.sync += [total.eq(0), next_leaf.eq(0)]
        with m.Elif(request.valid & changes(request)):
            m.d.sync += total.eq(total + request.amount)
        with m.If((request.kind == RequestKind.SAMPLE) & (total == 0)):
            m.d.sync += turn.status.eq(Status.EMPTY)

        # Then a sample's draw becomes a sum.
        m.submodules.scaler = scaler = DrawScaler(config.total_width)
        m.d.comb += [
            scaler.draw.eq(delay(m, arguments[: len(scaler.draw)], KNOWN + 1, "draw")),
            scaler.whole.eq(seen),
        ]
        waited = delay(m, Value.cast(self._answered(m, turn, seen)), scaler.latency, "turn", reset_less=False)
        m.d.comb += Value.cast(self.leaving).eq(waited)
        with m.If(self.leaving.kind == RequestKind.SAMPLE):
            m.d.comb += self.leaving.amount.eq(scaler.part + 1)
        return m

    def _status(self, kind, leaf):
        """Of a request, before the total is known."""
        config = self._config
        no_leaf = leaf.index >= config.leaves
        too_large = leaf.priority >> config.priority_width != 0 if config.priority_width < PRIORITY_WIDTH else 0
        wrong = Mux(
            kind == RequestKind.RETRIEVE, no_leaf,
            Mux(kind == RequestKind.UPDATE, no_leaf | too_large, (kind == RequestKind.INSERT) & too_large),
        )  # fmt: skip
        refused = Mux(wrong, Status.OUT_OF_RANGE, Status.DONE)
        return Mux(kind > max(RequestKind), Status.UNKNOWN_KIND, refused)

    def _answered(self, m, turn, total):
        """The request with what it answers, and nothing else."""
        answered = Signal.like(turn, name="answered")
        m.d.comb += answered.eq(turn)
        with m.If((turn.kind == RequestKind.TOTAL) & (turn.status == Status.DONE)):
            m.d.comb += Cat(answered.index, answered.priority).eq(total)
        with m.Elif((turn.kind == RequestKind.SAMPLE) | (turn.status != Status.DONE)):
            m.d.comb += [answered.index.eq(0), answered.priority.eq(0)]
        return answered
