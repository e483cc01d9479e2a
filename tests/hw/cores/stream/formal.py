"""Properties of credits, for proof by induction."""

from amaranth.hdl import Assert, Assume, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from rewardware.hw.cores.bits import count_ones
from rewardware.hw.cores.stream.pipeline import CreditBuffer
from tests.hw.formal import stays

WIDTH = 2


class CreditProperties(wiring.Component):
    """No value comes when there is no place for it, however long values are under way and whoever takes them.

    Parameters
    ----------
    config : StreamBufferConfig
    latency : int
        Cycles from a reservation to its value.
    guarded : bool
        Whether a place is reserved only where there is one; without, the proof fails.
    """

    def __init__(self, config, latency, guarded=True):
        self.buffer = CreditBuffer(WIDTH, config)
        self.latency, self.guarded = latency, guarded
        super().__init__({"reserve": In(1), "value": In(WIDTH), "ready": In(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.buffer = buffer = self.buffer
        under_way = [self.reserve, *(Signal(name=f"under_way_{cycle}") for cycle in range(self.latency))]
        m.d.sync += [after.eq(before) for before, after in zip(under_way, under_way[1:], strict=False)]
        m.d.comb += [
            buffer.reserve.eq(self.reserve),
            buffer.arrive.eq(under_way[-1]),
            buffer.value.eq(self.value),
            buffer.o.ready.eq(self.ready),
        ]
        if self.guarded:
            m.d.comb += Assume(buffer.room | ~self.reserve)
        stays(m, buffer.o, "o", Assert)
        m.d.comb += [
            Assert(buffer.reserved <= buffer.config.depth),
            Assert(buffer.reserved == buffer.level + count_ones(m, Cat(under_way[1:]), "under_way")),
            # The FIFO is told apart from its reservations: it must not refuse.
            Assert(~buffer.arrive | (buffer.level != buffer.config.depth)),
        ]
        return m
