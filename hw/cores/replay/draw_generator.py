"""Draws for a batch of samples."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from ..pipeline import delay
from ..random.generator import following_state
from ..random.xorshift import STATE_WIDTH, SUBSTITUTE_FOR_ZERO
from .config import DRAW_WIDTH
from .draw_scaler import DrawScaler

__all__ = ["DrawGenerator", "batch_layout"]

COUNT_WIDTH = 16
# The generator's number, and its place in the draw's segment.
LATENCY = 1 + DrawScaler.LATENCY
# As many draws as are under way at one a cycle, two of those cycles in the queue.
DEPTH = LATENCY + 2


# So many draws; each in a segment of its own, ``segment / 2**48`` wide, or, with 0, all in [0, 1).
batch_layout = data.StructLayout({"count": COUNT_WIDTH, "segment": DRAW_WIDTH})


class DrawGenerator(wiring.Component):
    """Makes random numbers in [0, 1), one a sample: proportional sampling, or stratified.

    A draw takes the upper 48 bits u of the next state of a xorshift generator. Draw i of a batch is u, or, with
    segments, ``i * segment + floor(u * segment / 2**48)``: ``2**48 // count`` splits [0, 1) in as many parts.

    Latency: 6 cycles from a batch to its first draw. Throughput: a draw a cycle. Back-pressure: on both streams.

    Members
    -------
    seed : In({valid, state})
        A state of the generator, not 0; only between batches.
    batches : In(stream of batch_layout)
        Taken when all draws of the last one have left; the count is at least 1.
    draws : Out(stream of {draw, last})

    Source
    ------
    Equation 2.1 of Meng's dissertation, its x; generator: G. Marsaglia, "Xorshift RNGs", 2003; stratified sampling:
    T. Schaul et al., "Prioritized experience replay", 2016, appendix B.2.1.
    """

    def __init__(self):
        super().__init__(
            {
                "seed": In(data.StructLayout({"valid": 1, "state": STATE_WIDTH})),
                "batches": In(stream.Signature(batch_layout)),
                "draws": Out(stream.Signature(data.StructLayout({"draw": DRAW_WIDTH, "last": 1}))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        state = Signal(STATE_WIDTH, init=SUBSTITUTE_FOR_ZERO)
        batch, offset = Signal(batch_layout), Signal(DRAW_WIDTH)
        goes = Signal()
        queue = m.submodules.queue = SyncFIFO(width=DRAW_WIDTH + 1, depth=DEPTH)
        under_way = Signal(range(DEPTH + 1))
        left = Signal()
        m.d.comb += [
            left.eq(self.draws.valid & self.draws.ready),
            goes.eq((batch.count != 0) & (under_way != DEPTH)),
            self.batches.ready.eq(batch.count == 0),
        ]
        m.d.sync += under_way.eq(under_way + goes - left)
        following = following_state(m, state)
        with m.If(goes):
            m.d.sync += [state.eq(following), batch.count.eq(batch.count - 1), offset.eq(offset + batch.segment)]
        with m.If(self.batches.valid & self.batches.ready):
            m.d.sync += [batch.eq(self.batches.payload), offset.eq(0)]
        with m.If(self.seed.valid):
            m.d.sync += state.eq(self.seed.state)

        m.submodules.scaler = scaler = DrawScaler(DRAW_WIDTH)
        number = following[-DRAW_WIDTH:]
        m.d.comb += [
            scaler.draw.eq(delay(m, number, 1, "number")),
            scaler.whole.eq(delay(m, batch.segment, 1, "segment")),
        ]
        whole = delay(m, Mux(batch.segment == 0, number, offset), LATENCY, "whole")
        part = Mux(delay(m, batch.segment == 0, LATENCY, "is_whole"), 0, scaler.part)
        m.d.comb += [
            queue.w_en.eq(delay(m, goes, LATENCY, "goes", reset_less=False)),
            queue.w_data.eq((whole + part)[:DRAW_WIDTH] | delay(m, batch.count == 1, LATENCY, "last") << DRAW_WIDTH),
            self.draws.valid.eq(queue.r_rdy),
            self.draws.payload.eq(queue.r_data),
            queue.r_en.eq(self.draws.ready),
        ]
        return m
