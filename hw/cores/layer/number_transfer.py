"""Numbers of layers to and from a host."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from .config import LayerConfig

__all__ = ["NumberTransfer"]

# Numbers that are under way from a memory or wait: enough for one a cycle.
WAITING = 4


class NumberTransfer(wiring.Component):
    """Goes over the numbers of all layers: layer after layer, row after row, the biases last, output after output.

    Latency: a number a cycle, and 4 cycles. Back-pressure: on both streams.

    Parameters
    ----------
    layers : tuple of LayerConfig

    Members
    -------
    start : In(1)
    load : In(1)
        Write what comes in; otherwise what is read goes out. Constant until ``done``.
    done : Out(1)
        All numbers are written, or have gone out.
    i, o : streams of width
    layer : Out(range(layers))
    enable, write, address, lane, value, number
        Of that layer's memory; see :class:`..word_memory.NumberAccess`.
    """

    def __init__(self, layers: tuple[LayerConfig, ...]):
        self._layers = layers
        width = layers[0].arithmetic.format.width
        super().__init__(
            {
                "start": In(1),
                "load": In(1),
                "done": Out(1),
                "i": In(stream.Signature(width)),
                "o": Out(stream.Signature(width)),
                "layer": Out(range(max(len(layers), 2))),
                "enable": Out(1),
                "write": Out(1),
                "address": Out(range(max(layer.words for layer in layers))),
                "lane": Out(range(max(2, *(layer.units for layer in layers)))),
                "value": Out(width),
                "number": In(width),
            }
        )

    @property
    def layers(self):
        """Whose numbers they are."""
        return self._layers

    def elaborate(self, platform):
        m = Module()
        m.submodules.buffer = buffer = StreamBuffer(self.value.shape(), StreamBufferConfig(depth=WAITING))
        waiting, fetched, active = Signal(range(WAITING + 1)), Signal(), Signal()
        left, reads = Signal(), Signal()
        m.d.comb += [
            self.write.eq(self.load),
            self.value.eq(self.i.payload),
            self.i.ready.eq(active & self.load),
            reads.eq(active & ~self.load & (waiting != WAITING)),
            self.enable.eq((self.i.valid & self.i.ready) | reads),
            left.eq(self.o.valid & self.o.ready),
            buffer.i.payload.eq(self.number),
            buffer.i.valid.eq(fetched),
        ]
        m.d.sync += [fetched.eq(reads), waiting.eq(waiting + reads - left)]
        wiring.connect(m, buffer.o, wiring.flipped(self.o))
        ended = self._walk(m)
        ending = Signal()
        m.d.comb += self.done.eq(ending & (waiting == 0))
        with m.If(self.start):
            m.d.sync += active.eq(1)
        with m.If(ended):
            m.d.sync += [active.eq(0), ending.eq(1)]
        with m.If(self.done):
            m.d.sync += ending.eq(0)
        return m

    def _walk(self, m):
        """To the next number with each access; returns whether it was the last one."""
        layers = self._layers
        group = Signal(range(max(2, *(layer.groups for layer in layers))))
        last_lane, last_group, last_word, last_layer = (
            Signal(name=f"last_{name}") for name in ("lane", "group", "word", "layer")
        )
        with m.Switch(self.layer):
            for index, layer in enumerate(layers):
                with m.Case(index):
                    m.d.comb += [
                        last_group.eq(group == layer.groups - 1),
                        last_lane.eq(self.lane == layer.units - 1),
                        last_word.eq(self.address == layer.words - 1),
                        last_layer.eq(index == len(layers) - 1),
                    ]
                    with m.If(last_group):
                        m.d.comb += last_lane.eq(self.lane == (layer.outputs - 1) % layer.units)
        with m.If(self.enable):
            m.d.sync += self.lane.eq(self.lane + 1)
            with m.If(last_lane):
                m.d.sync += [self.lane.eq(0), self.address.eq(self.address + 1), group.eq(group + 1)]
                with m.If(last_group):
                    m.d.sync += group.eq(0)
                with m.If(last_word):
                    m.d.sync += [self.address.eq(0), self.layer.eq(self.layer + 1)]
                    with m.If(last_layer):
                        m.d.sync += self.layer.eq(0)
        return self.enable & last_lane & last_word & last_layer
