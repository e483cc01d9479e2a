"""The error of a loss by the lesser of two critics' values."""

from amaranth.hdl import Module, Mux
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.comparison import FloatComparator
from ..float.config import FloatConfig, FloatLaneConfig
from ..stream.connect import connect_handshake
from ..stream.fork import StreamFork
from ..stream.join import join_streams

__all__ = ["LesserValue"]


class LesserValue(ConfiguredComponent):
    """Sends the derivative of a loss by the lesser of two critics' values to that critic, and +0 to the other one.

    It is the first critic also where both values are equal or one is NaN.

    Number format: ``config.format``; nothing is rounded.

    Latency: none. Throughput: a sample a cycle. Back-pressure: values wait for each other; the next ones come when both
    critics have their error.

    Parameters
    ----------
    config : FloatLaneConfig

    Members
    -------
    values : In(stream of width).array(2)
    errors : Out(stream of width).array(2)
        Derivatives by each critic's value.
    slope : In(width)
        The derivative by the lesser value; constant while samples are under way.
    """

    def __init__(self, config: FloatLaneConfig):
        elements = stream.Signature(config.format.width)
        super().__init__(
            config,
            {"values": In(elements).array(2), "errors": Out(elements).array(2), "slope": In(config.format.width)},
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.comparator = comparator = FloatComparator(FloatConfig(format=self._config.format, depth=0))
        m.submodules.fork = fork = StreamFork(1, 2)
        both = join_streams(m, "both", first=self.values[0], second=self.values[1])
        connect_handshake(m, both, fork.i)
        m.d.comb += [
            comparator.a.eq(both.payload.second),
            comparator.b.eq(both.payload.first),
            fork.i.payload.eq(comparator.less),
        ]
        for index, (source, sink) in enumerate(zip(fork.o, self.errors, strict=True)):
            connect_handshake(m, source, sink)
            m.d.comb += sink.payload.eq(Mux(source.payload == index, self.slope, 0))
        return m
