"""A pipeline with a stream before and after it, as a user of the stream pipeline builds it."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.pipeline import delay
from rewardware.hw.cores.stream.pipeline import StreamPipeline


class StreamMultiplier(wiring.Component):
    """Triples numbers of nine bits, and takes as long for it as the configuration says."""

    def __init__(self, config):
        self.config = config
        super().__init__({"i": In(stream.Signature(9)), "o": Out(stream.Signature(11)), "idle": Out(1)})

    @property
    def latency(self):
        return StreamPipeline(11, self.config).latency

    def elaborate(self, platform):
        m = Module()
        m.submodules.products = products = StreamPipeline(11, self.config)
        m.d.comb += [
            self.i.ready.eq(products.ready),
            products.begin.eq(self.i.valid & products.ready),
            products.result.eq(delay(m, 3 * self.i.payload, self.config.latency, "product")),
            self.idle.eq(products.idle),
        ]
        wiring.connect(m, products.o, wiring.flipped(self.o))
        return m
