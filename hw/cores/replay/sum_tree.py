"""A sum tree for prioritised replay."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layouts import record_layout
from ..stream.buffer_config import StreamBufferConfig
from ..stream.pipeline import CreditBuffer
from .config import SumTreeConfig
from .layouts import clear_layout
from .records import ANSWER, HEADER, ROW_WIDTH, TOTAL
from .requests import RequestKind
from .sum_tree_head import SumTreeHead
from .sum_tree_level import SumTreeLevel

__all__ = ["SumTree"]

# Cycles of the register after the choice of a beat's row, and of the queue of answers.
SEND_LATENCY = 1
QUEUE_LATENCY = 1


class SumTree(ConfiguredComponent):
    """Samples, retrieves, updates and inserts priorities, at least one a cycle, with the answers in their order.

    Whatever is under way, results are those of one request after the other: requests pass a pipeline of one stage a
    level in order, and each stage shows the next request what it has written.

    A beat has ``lanes`` rows, the first in the lowest bits. If all are samples or ask for the total, which change
    nothing, they pass side by side, each in its lane. Otherwise all go through the first lane, one after the other.

    Latency: :attr:`latency` cycles, 9 and 3 or 4 a level (:meth:`.SumTreeConfig.level_latency`), from a beat's last
    row. Throughput: a beat a cycle if its rows go side by side, else a row a cycle. Back-pressure: nothing in the
    pipeline ever waits; ``requests`` are taken while the queue behind it has room for all answers.

    Parameters
    ----------
    config : SumTreeConfig

    Members
    -------
    requests : In(stream of 64 * lanes)
        Rows of :mod:`.records`.
    answers : Out(stream of 64 * lanes)
    clear : In(1)
        Make all priorities zero, after all requests taken so far, in as many cycles as there are leaves and one more.
        No request is taken meanwhile. A reset does the same: it may cut updates short, which leaves sums that are none.
    idle : Out(1)
        No request is under way, and nothing is being cleared.

    Source
    ------
    Meng's dissertation, section 4.4.1.2 and figure 4.5. Not in the source: prefix sums as words, and
    differences made at the root, so that an update is one pass as a sample is.
    """

    def __init__(self, config: SumTreeConfig):
        super().__init__(
            config,
            {
                "requests": In(stream.Signature(ROW_WIDTH * config.lanes)),
                "answers": Out(stream.Signature(ROW_WIDTH * config.lanes)),
                "clear": In(1),
                "idle": Out(1),
            },
        )

    @property
    def latency(self):
        """Cycles from a beat that is taken to its answers; rows one after the other take a cycle more each."""
        return self._pipeline_latency + QUEUE_LATENCY

    @property
    def _pipeline_latency(self):
        config = self._config
        return SEND_LATENCY + SumTreeHead.LATENCY + sum(config.level_latency(level) for level in range(config.depth))

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.head = head = SumTreeHead(config)
        parts, last = [head], head.leaving
        for level in range(config.depth):
            part = SumTreeLevel(config, level)
            m.submodules[f"level_{level}"] = part
            m.d.comb += [after.eq(before) for after, before in zip(part.arriving, last, strict=True)]
            parts.append(part)
            last = part.leaving
        # Rows that go one after the other take longer than a pipeline of fixed latency does.
        m.submodules.answered = answered = CreditBuffer(
            self.answers.payload.shape(), StreamBufferConfig(depth=self.latency + 2, latency=QUEUE_LATENCY)
        )
        taken, empty, clearing, clear = Signal(), Signal(), Signal(init=1), Signal(clear_layout(config))
        m.d.comb += [
            taken.eq(self.requests.valid & self.requests.ready),
            answered.reserve.eq(taken),
            empty.eq(answered.reserved == 0),
            self.idle.eq(empty & ~clearing & ~clear.valid),
        ]
        wiring.connect(m, answered.o, wiring.flipped(self.answers))
        rows_left = self._send(m, taken, head.requests)
        m.d.comb += self.requests.ready.eq(answered.room & ~clearing & ~clear.valid & (rows_left == 0))
        self._gather(m, last, answered)
        self._clear(m, clear, clearing, empty)
        for part in parts:
            m.d.comb += part.clear.eq(clear)
        return m

    def _send(self, m, taken, lanes):
        """Gives the rows of a beat to the lanes, in the next cycle; how many of the one before have yet to go."""
        beat = self.requests.payload
        rows = [beat.word_select(lane, ROW_WIDTH) for lane in range(len(lanes))]
        side_by_side = Signal()
        m.d.comb += side_by_side.eq(Cat(_names_leaf(row) for row in rows) == 0)
        rest, left = Signal(ROW_WIDTH * (len(lanes) - 1)), Signal(range(len(lanes)))
        with m.If(taken):
            m.d.sync += [rest.eq(beat[ROW_WIDTH:]), left.eq(Mux(side_by_side, 0, len(lanes) - 1))]
        with m.Elif(left != 0):
            m.d.sync += [rest.eq(rest >> ROW_WIDTH), left.eq(left - 1)]
        for lane, row in zip(lanes, rows, strict=True):
            m.d.sync += [lane.valid.eq(taken & side_by_side), lane.row.eq(row)]
        m.d.sync += [lanes[0].valid.eq(taken | (left != 0)), lanes[0].row.eq(Mux(left != 0, rest, beat))]
        return left

    def _gather(self, m, lanes, answered):
        """Makes beats of answers again."""
        rows = [self._answer(m, request) for request in lanes]
        alone, gathered, before = Signal(), Signal(range(len(lanes))), Signal(ROW_WIDTH * (len(lanes) - 1))
        in_turn = Cat(before, rows[0])
        m.d.comb += [
            # All lanes are taken, or the first one alone.
            alone.eq(lanes[0].valid & ~lanes[-1].valid),
            answered.arrive.eq(lanes[-1].valid | (alone & (gathered == len(lanes) - 1))),
            answered.value.eq(Mux(alone, in_turn, Cat(rows))),
        ]
        with m.If(alone):
            m.d.sync += [
                before.eq(in_turn[ROW_WIDTH:]),
                gathered.eq(Mux(gathered == len(lanes) - 1, 0, gathered + 1)),
            ]

    def _clear(self, m, clear, clearing, empty):
        """All rows, one after the other, from a register: they go to all levels."""
        row = Signal(range(self._config.leaves))
        with m.If(self.clear):
            m.d.sync += [clearing.eq(1), row.eq(0)]
        with m.Elif(clearing & empty):
            m.d.sync += row.eq(row + 1)
            with m.If(row == self._config.leaves - 1):
                m.d.sync += clearing.eq(0)
        m.d.sync += [clear.valid.eq(clearing & empty), clear.row.eq(row)]

    def _answer(self, m, request):
        """The row of an answer."""
        answer, total, row = Signal(record_layout(ANSWER)), Signal(record_layout(TOTAL)), Signal(ROW_WIDTH)
        m.d.comb += [
            answer.kind.eq(request.kind),
            answer.status.eq(request.status),
            answer.index.eq(request.index),
            answer.priority.eq(request.priority),
            total.kind.eq(request.kind),
            total.status.eq(request.status),
            total.total.eq(Cat(request.index, request.priority)),
            row.eq(Mux(request.kind == RequestKind.TOTAL, total.as_value(), answer.as_value())),
        ]
        return row


def _names_leaf(row):
    """Whether a request has to look into the list of leaves; one of an unknown kind goes with them."""
    kind = row[: HEADER.width]
    return (kind != RequestKind.SAMPLE) & (kind != RequestKind.TOTAL)
