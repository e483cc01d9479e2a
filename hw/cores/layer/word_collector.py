"""Words of a layer's units, out of single elements."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .config import LayerConfig

__all__ = ["WordCollector"]


class WordCollector(ConfiguredComponent):
    """Puts the elements of a sample, one for each output of the layer, side by side in words of ``units``.

    The last word of a sample is filled up with +0. Words of two samples wait, so that whoever works on one for long
    does not hold back elements that come all at once.

    Latency: two cycles from the last element of a word to the word. Throughput: an element a cycle. Back-pressure:
    elements are taken while there is room for the word that they complete.

    Parameters
    ----------
    config : LayerConfig

    Members
    -------
    elements : In(stream of width)
    words : Out(stream of ArrayLayout(width, units))
    """

    def __init__(self, config: LayerConfig):
        width = config.arithmetic.format.width
        self._shape = data.ArrayLayout(width, config.units)
        super().__init__(config, {"elements": In(stream.Signature(width)), "words": Out(stream.Signature(self._shape))})

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.buffer = buffer = StreamBuffer(self._shape, StreamBufferConfig(depth=2 * config.groups + 2))
        held = Signal(self._shape)
        lane, group = Signal(range(max(config.units, 2))), Signal(range(max(config.groups, 2)))
        last_group, complete = Signal(), Signal()
        last_lanes = config.outputs - (config.groups - 1) * config.units
        m.d.comb += [
            last_group.eq(group == config.groups - 1),
            complete.eq(lane == Mux(last_group, last_lanes - 1, config.units - 1)),
            buffer.i.valid.eq(self.elements.valid & complete),
            self.elements.ready.eq(buffer.i.ready | ~complete),
            self.words.payload.eq(buffer.o.payload),
            self.words.valid.eq(buffer.o.valid),
            buffer.o.ready.eq(self.words.ready),
        ]
        for index in range(config.units):
            m.d.comb += buffer.i.payload[index].eq(Mux(lane == index, self.elements.payload, held[index]))
        with m.If(self.elements.valid & self.elements.ready):
            m.d.sync += [held.eq(buffer.i.payload), lane.eq(lane + 1)]
            with m.If(complete):
                m.d.sync += [held.eq(0), lane.eq(0), group.eq(Mux(last_group, 0, group + 1))]
        return m
