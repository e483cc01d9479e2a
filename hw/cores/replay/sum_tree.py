"""A sum tree for prioritised replay."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.fifo import SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from ..layouts import record_layout
from .config import SumTreeConfig
from .records import ANSWER, ROW_WIDTH, TOTAL, RequestKind
from .sum_tree_head import SumTreeHead
from .sum_tree_level import SumTreeLevel

__all__ = ["SumTree"]

QUEUE_LATENCY = 2


class SumTree(wiring.Component):
    """Samples, retrieves, updates and inserts priorities, a request a cycle, with the answers in their order.

    Whatever is under way, results are those of one request after the other: requests pass a pipeline of one stage a
    level in order, and each stage shows the next request what it has written.

    Latency: :attr:`latency` cycles, ``6 + 3 * depth + 2``. Throughput: a request a cycle. Back-pressure: nothing in
    the pipeline ever waits; ``requests`` are taken while the queue behind it has room for all answers.

    Parameters
    ----------
    config : SumTreeConfig

    Members
    -------
    requests : In(stream of 64)
        Rows of :mod:`.records`.
    answers : Out(stream of 64)
    clear : In(1)
        Make all priorities zero, behind all requests taken so far, a leaf a cycle. No request is taken meanwhile. A
        reset does the same: it may cut updates short, which leaves sums that are none.
    idle : Out(1)
        No request is under way, and nothing is being cleared.

    Source
    ------
    Meng's dissertation, section 4.4.1.2 and figure 4.5. Of its own: prefix sums as words, and
    differences made at the root, so that an update is one pass as a sample is.
    """

    def __init__(self, config: SumTreeConfig):
        self._config = config
        super().__init__(
            {
                "requests": In(stream.Signature(ROW_WIDTH)),
                "answers": Out(stream.Signature(ROW_WIDTH)),
                "clear": In(1),
                "idle": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from a request that is taken to its answer."""
        return self._pipeline_latency + QUEUE_LATENCY

    @property
    def _pipeline_latency(self):
        return SumTreeHead.LATENCY + SumTreeLevel.LATENCY * self._config.depth

    def elaborate(self, platform):
        m = Module()
        config = self._config
        depth = self.latency + 2
        m.submodules.head = head = SumTreeHead(config)
        parts, last = [head], head.leaving
        for level in range(config.depth):
            part = SumTreeLevel(config, level)
            m.submodules[f"level_{level}"] = part
            m.d.comb += part.arriving.eq(last)
            parts.append(part)
            last = part.leaving
        m.submodules.queue = queue = SyncFIFOBuffered(width=ROW_WIDTH, depth=depth)

        # Answers that are under way or wait.
        waiting = Signal(range(depth + 1))
        taken, given, clearing = Signal(), Signal(), Signal(init=1)
        m.d.comb += [
            self.requests.ready.eq((waiting != depth) & ~clearing),
            taken.eq(self.requests.valid & self.requests.ready),
            given.eq(self.answers.valid & self.answers.ready),
            head.request.valid.eq(taken),
            head.request.row.eq(self.requests.payload),
            queue.w_en.eq(last.valid),
            queue.w_data.eq(self._answer(m, last)),
            self.answers.valid.eq(queue.r_rdy),
            self.answers.payload.eq(queue.r_data),
            queue.r_en.eq(self.answers.ready),
            self.idle.eq((waiting == 0) & ~clearing),
        ]
        m.d.sync += waiting.eq(waiting + taken - given)
        self._clear(m, parts, clearing, waiting == 0)
        return m

    def _clear(self, m, parts, clearing, empty):
        """All rows, one after the other."""
        row = Signal(range(self._config.leaves))
        with m.If(self.clear):
            m.d.sync += [clearing.eq(1), row.eq(0)]
        with m.Elif(clearing & empty):
            m.d.sync += row.eq(row + 1)
            with m.If(row == self._config.leaves - 1):
                m.d.sync += clearing.eq(0)
        for part in parts:
            m.d.comb += [part.clear.valid.eq(clearing & empty), part.clear.row.eq(row)]

    def _answer(self, m, request):
        """The row of an answer."""
        answer, total = Signal(record_layout(ANSWER)), Signal(record_layout(TOTAL))
        m.d.comb += [
            answer.kind.eq(request.kind),
            answer.status.eq(request.status),
            answer.index.eq(request.index),
            answer.priority.eq(request.priority),
            total.kind.eq(request.kind),
            total.status.eq(request.status),
            total.total.eq(Cat(request.index, request.priority)),
        ]
        return Mux(request.kind == RequestKind.TOTAL, total.as_value(), answer.as_value())
