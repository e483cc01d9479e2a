"""Where requests enter a sum tree."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..pipeline import delay
from .config import PRIORITY_WIDTH, SumTreeConfig
from .draw_scaler import DrawScaler
from .layouts import changes, clear_layout, travelling_layout
from .records import ARGUMENTS, HEADER, ROW_WIDTH
from .requests import RequestKind, Status

__all__ = ["SumTreeHead"]

# Cycles to a leaf's old priority, behind the output register of block RAM, and to the difference and the total.
READ = 2
KNOWN = READ + 1


class SumTreeHead(ConfiguredComponent):
    """Checks requests, keeps the leaves and the total in their order, and finds what a sample looks for.

    An update has to say at the root by how much its leaf changes. So the priorities are kept here too, as a list,
    beside the sums of the last level.

    Latency: 7 cycles (leaf 2, difference, total, draw 3). Throughput: a request a cycle and lane. No back-pressure.

    Parameters
    ----------
    config : SumTreeConfig

    Members
    -------
    requests : In({valid, row}), one a lane
        Rows of :mod:`.records`; in other lanes than the first one samples and totals.
    leaving : Out(travelling_layout of level 0), one a lane
    clear : In(clear_layout)
        Not while a request is here. With row 0, the next insertion is to the first leaf and the total is also 0.
    """

    LATENCY = KNOWN + 1 + DrawScaler.LATENCY

    def __init__(self, config: SumTreeConfig):
        super().__init__(
            config,
            {
                "requests": In(data.StructLayout({"valid": 1, "row": ROW_WIDTH})).array(config.lanes),
                "leaving": Out(travelling_layout(config, 0)).array(config.lanes),
                "clear": In(clear_layout(config)),
            },
        )

    @property
    def latency(self):
        """Cycles from ``requests`` to ``leaving``."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        config = self._config
        next_leaf, total = Signal(range(config.leaves)), Signal(config.total_width)
        request = self._first_lane(m, next_leaf)

        # When it is known what changes, the total is that of this request's turn.
        with m.If(self.clear.valid & (self.clear.row == 0)):
            m.d.sync += [total.eq(0), next_leaf.eq(0)]
        with m.Elif(request.valid & changes(request)):
            m.d.sync += total.eq(total + request.amount)
        seen = Signal(config.total_width)
        m.d.sync += seen.eq(total)
        self._aim(m, 0, request, total, seen)
        for lane in range(1, config.lanes):
            self._aim(m, lane, self._other_lane(m, lane), total, seen)
        return m

    def _first_lane(self, m, next_leaf):
        """The request in the first lane, with its leaf's old priority and what it adds to it."""
        config = self._config
        layout = travelling_layout(config, 0)
        kind, arguments = self._parts(0)
        leaf = Signal(record_layout(ARGUMENTS[RequestKind.UPDATE]))
        m.d.comb += Value.cast(leaf).eq(arguments)

        # A leaf's old priority is read as the new one is written.
        entered = Signal(layout)
        m.d.comb += [
            entered.valid.eq(self.requests[0].valid),
            entered.kind.eq(kind),
            entered.index.eq(Mux(kind == RequestKind.INSERT, next_leaf, leaf.index)),
            entered.status.eq(self._status(kind, leaf)),
        ]
        writes = Signal()
        m.d.comb += writes.eq(entered.valid & changes(entered))
        with m.If(writes & (kind == RequestKind.INSERT)):
            m.d.sync += next_leaf.eq(Mux(next_leaf == config.leaves - 1, 0, next_leaf + 1))
        m.submodules.leaves = leaves = Memory(config.priority_width, MemoryConfig(depth=config.leaves, latency=READ))
        (reader,), writer = leaves.reads, leaves.write
        m.d.comb += [
            reader.enable.eq(entered.valid),
            reader.address.eq(entered.index),
            writer.address.eq(Mux(self.clear.valid, self.clear.row, entered.index)),
            writer.data.eq(Mux(self.clear.valid, 0, leaf.priority)),
            writer.enable.eq(writes | self.clear.valid),
        ]

        # Then it is known what changes.
        known, request = layout(delay(m, Value.cast(entered), READ, "entered", reset_less=False)), Signal(layout)
        priority = delay(m, leaf.priority[: config.priority_width], READ, "priority")
        m.d.sync += [
            request.eq(known),
            request.priority.eq(reader.data),
            request.amount.eq(priority - reader.data),
        ]
        return request

    def _other_lane(self, m, lane):
        """A sample or a request for the total, in the same cycle as the first lane's."""
        layout = travelling_layout(self._config, 0)
        entered = Signal(layout, name=f"entered_{lane}")
        m.d.comb += [entered.valid.eq(self.requests[lane].valid), entered.kind.eq(self._parts(lane)[0])]
        return layout(delay(m, Value.cast(entered), KNOWN, f"entered_{lane}", reset_less=False))

    def _parts(self, lane):
        """Kind and arguments of a row."""
        row = self.requests[lane].row
        return row[: HEADER.width], row[HEADER.width :]

    def _aim(self, m, lane, request, total, seen):
        """Makes a sum of a sample's draw, and lets the request leave.

        ``total`` is that of the request's turn, ``seen`` the same a cycle later.
        """
        turn = Signal.like(request, name=f"turn_{lane}")
        m.d.sync += turn.eq(request)
        with m.If((request.kind == RequestKind.SAMPLE) & (total == 0)):
            m.d.sync += turn.status.eq(Status.EMPTY)
        m.submodules[f"scaler_{lane}"] = scaler = DrawScaler(self._config.total_width)
        draw = self._parts(lane)[1][: len(scaler.draw)]
        m.d.comb += [scaler.draw.eq(delay(m, draw, KNOWN + 1, f"draw_{lane}")), scaler.whole.eq(seen)]
        answered = Value.cast(self._answered(m, turn, seen))
        leaving = self.leaving[lane]
        m.d.comb += Value.cast(leaving).eq(delay(m, answered, scaler.latency, f"turn_{lane}", reset_less=False))
        with m.If(leaving.kind == RequestKind.SAMPLE):
            m.d.comb += leaving.amount.eq(scaler.part + 1)

    def _status(self, kind, leaf):
        """The status of a request, before the total is known."""
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
