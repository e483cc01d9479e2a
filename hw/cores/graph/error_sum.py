"""Errors of several users of a node, added."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.config import FloatConfig, FloatLaneConfig
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig

__all__ = ["ErrorSum"]


class ErrorSum(ConfiguredComponent):
    """Adds two streams, number by number: ``o = i[0] + i[1]``.

    Number format: the configuration's, rounded to nearest even.

    Latency: ``latency`` cycles from both numbers to their sum, valid. Throughput: one a cycle. Back-pressure: numbers
    wait for each other, and for room behind the adder.

    Parameters
    ----------
    config : FloatLaneConfig

    Members
    -------
    i : In(stream of width).array(2)
    o : Out(stream of width)
    """

    def __init__(self, config: FloatLaneConfig):
        elements = stream.Signature(config.format.width)
        super().__init__(config, {"i": In(elements).array(2), "o": Out(elements)})

    @property
    def latency(self):
        """Cycles from both numbers to their sum, valid."""
        return self._config.adder_depth + 2

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.adder = adder = FloatAdder(FloatConfig(format=config.format, depth=config.adder_depth))
        m.submodules.sums = sums = StreamPipeline(config.format.width, StreamPipelineConfig(latency=config.adder_depth))
        first, second = self.i
        m.d.comb += [
            adder.a.eq(first.payload),
            adder.b.eq(second.payload),
            adder.subtract.eq(0),
            sums.begin.eq(first.valid & second.valid & sums.ready),
            first.ready.eq(sums.begin),
            second.ready.eq(sums.begin),
            sums.result.eq(adder.result),
        ]
        wiring.connect(m, sums.o, wiring.flipped(self.o))
        return m
