"""Lets a batch through."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..layer.config import BATCH_WIDTH, NetworkConfig

__all__ = ["SampleGate"]


class SampleGate(ConfiguredComponent):
    """Lets the elements of ``batch`` samples through when it is opened, and holds the next ones back.

    Latency: none; open from the cycle after ``open``. Throughput: an element a cycle. Back-pressure: that of ``o``
    while it is open.

    Parameters
    ----------
    config : NetworkConfig
        A sample has as many elements as the network has inputs.

    Members
    -------
    open : In(1)
    batch : In(16)
        Samples, at least 1; taken with ``open``.
    i : In(stream of width)
    o : Out(stream of width)
    """

    def __init__(self, config: NetworkConfig):
        elements = stream.Signature(config.arithmetic.format.width)
        super().__init__(config, {"open": In(1), "batch": In(BATCH_WIDTH), "i": In(elements), "o": Out(elements)})

    def elaborate(self, platform):
        m = Module()
        inputs = self._config.sizes[0]
        index, left, is_open, last = Signal(range(max(inputs, 2))), Signal(BATCH_WIDTH), Signal(), Signal()
        m.d.comb += [
            self.o.payload.eq(self.i.payload),
            self.o.valid.eq(self.i.valid & is_open),
            self.i.ready.eq(self.o.ready & is_open),
            last.eq(index == inputs - 1),
        ]
        with m.If(self.open):
            m.d.sync += [is_open.eq(1), left.eq(self.batch)]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += index.eq(Mux(last, 0, index + 1))
            with m.If(last):
                m.d.sync += [left.eq(left - 1), is_open.eq(left != 1)]
        return m
