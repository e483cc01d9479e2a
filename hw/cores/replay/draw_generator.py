"""Draws for a batch of samples."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..pipeline import delay
from ..random.generator import following_state
from ..random.xorshift import STATE_WIDTH, SUBSTITUTE_FOR_ZERO
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .config import DRAW_WIDTH
from .draw_scaler import DrawScaler

__all__ = ["DrawGenerator", "batch_layout", "draws_layout"]

COUNT_WIDTH = 16
# The generator's number, and its place in the draw's segment.
LATENCY = 1 + DrawScaler.LATENCY


# So many draws; each in a segment of its own, ``segment / 2**48`` wide, or, with 0, all in [0, 1).
batch_layout = data.StructLayout({"count": COUNT_WIDTH, "segment": DRAW_WIDTH})


def draws_layout(lanes: int):
    """Draws side by side; ``has_draw`` has a bit for each place, ``last`` says that the batch ends."""
    return data.StructLayout({"draws": data.ArrayLayout(DRAW_WIDTH, lanes), "has_draw": lanes, "last": 1})


class DrawGenerator(wiring.Component):
    """Makes random numbers in [0, 1), one a sample: proportional sampling, or stratified.

    A beat has ``lanes`` places, the first draw in the lowest bits. After a batch's last draw comes at least one place
    without a draw, for what its user has to ask after the samples; the beat that has it is the last.

    A draw takes the upper 48 bits u of the next state of a xorshift generator. Draw i of a batch is u, or, with
    segments, ``i * segment + floor(u * segment / 2**48)``: ``2**48 // count`` splits [0, 1) in as many parts.

    Latency: 6 cycles from a batch to its first draw. Throughput: a beat a cycle. Back-pressure: on both streams.

    Parameters
    ----------
    lanes : int
        Draws a beat, at least 1.

    Members
    -------
    seed : In({valid, state})
        A state of the generator, not 0; only between batches.
    batches : In(stream of batch_layout)
        Taken when all draws of the last one are made; the count is at least 1.
    draws : Out(stream of draws_layout)

    Source
    ------
    Equation 2.1 of Meng's dissertation, its x; generator: G. Marsaglia, "Xorshift RNGs", 2003; stratified sampling:
    T. Schaul et al., "Prioritized experience replay", 2016, appendix B.2.1.
    """

    def __init__(self, lanes: int = 1):
        self._lanes = lanes
        super().__init__(
            {
                "seed": In(data.StructLayout({"valid": 1, "state": STATE_WIDTH})),
                "batches": In(stream.Signature(batch_layout)),
                "draws": Out(stream.Signature(draws_layout(lanes))),
            }
        )

    @property
    def lanes(self):
        """Draws a beat."""
        return self._lanes

    def elaborate(self, platform):
        m = Module()
        lanes = self._lanes
        # The batch's places left, the width of a segment, and where that of the next draw begins.
        places, segment, offset = Signal(range((1 << COUNT_WIDTH) + 1)), Signal(DRAW_WIDTH), Signal(DRAW_WIDTH)
        m.submodules.leaving = leaving = StreamPipeline(
            self.draws.payload.shape(), StreamPipelineConfig(latency=LATENCY, buffer_latency=1)
        )
        m.d.comb += [leaving.begin.eq((places != 0) & leaving.ready), self.batches.ready.eq(places == 0)]
        wiring.connect(m, leaving.o, wiring.flipped(self.draws))

        # Places without a draw leave the generator as it is.
        has_draw, last = Signal(lanes), Signal()
        states, offsets = [Signal(STATE_WIDTH, init=SUBSTITUTE_FOR_ZERO)], [offset]
        following = states[0]
        m.d.comb += last.eq(places <= lanes)
        for lane in range(lanes):
            m.d.comb += has_draw[lane].eq(places > lane + 1)
            states.append(following_state(m, states[-1]))
            offsets.append((offsets[-1] + segment)[:DRAW_WIDTH])
            following = Mux(has_draw[lane], states[-1], following)
        with m.If(leaving.begin):
            m.d.sync += [
                states[0].eq(following),
                offset.eq(offsets[-1]),
                places.eq(Mux(last, 0, places - lanes)),
            ]
        with m.If(self.batches.valid & self.batches.ready):
            batch = self.batches.payload
            m.d.sync += [places.eq(batch.count + 1), segment.eq(batch.segment), offset.eq(0)]
        with m.If(self.seed.valid):
            m.d.sync += states[0].eq(self.seed.state)

        is_whole = delay(m, segment == 0, LATENCY, "is_whole")
        m.d.comb += [
            leaving.result.has_draw.eq(delay(m, has_draw, LATENCY, "has_draw")),
            leaving.result.last.eq(delay(m, last, LATENCY, "last")),
        ]
        for lane in range(lanes):
            m.submodules[f"scaler_{lane}"] = scaler = DrawScaler(DRAW_WIDTH)
            number = states[lane + 1][-DRAW_WIDTH:]
            whole = delay(m, Mux(segment == 0, number, offsets[lane]), LATENCY, f"whole_{lane}")
            m.d.comb += [
                scaler.draw.eq(delay(m, number, 1, f"number_{lane}")),
                scaler.whole.eq(delay(m, segment, 1, f"segment_{lane}")),
                leaving.result.draws[lane].eq(whole + Mux(is_whole, 0, scaler.part)),
            ]
        return m
