"""A first-in, first-out buffer between two streams."""

from amaranth.hdl import Module, Mux, Shape, Signal, Value
from amaranth.lib import stream
from amaranth.lib.fifo import SyncFIFO, SyncFIFOBuffered
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent

__all__ = ["StreamBuffer"]


class StreamBuffer(ConfiguredComponent):
    """Holds up to ``depth`` values: what comes in on ``i`` goes out on ``o``, in order, unchanged.

    The FIFOs of :mod:`amaranth.lib.fifo` with payloads of any shape.

    Latency: ``config.latency`` cycles from ``i`` to ``o``. Throughput: one value a cycle. Back-pressure: ``i`` is ready
    while there is room, whatever ``o`` does; no combinational path connects the two.

    Parameters
    ----------
    shape : shape-like
        Payload.
    config : StreamBufferConfig

    Members
    -------
    i : :py:`In(stream.Signature(shape))`
    o : :py:`Out(stream.Signature(shape))`
    level : :py:`Out(range(depth + 1))`
        Values held.
    """

    def __init__(self, shape, config):
        self.shape = shape
        super().__init__(
            config,
            {
                "i": In(stream.Signature(shape)),
                "o": Out(stream.Signature(shape)),
                "level": Out(range(config.depth + 1)),
            },
        )

    @property
    def latency(self):
        """Cycles from the transfer on ``i`` to valid on ``o`` of an empty buffer."""
        return self.config.latency

    def elaborate(self, platform):
        m = Module()
        if self.config.head_register:
            self._behind_a_register(m)
            return m
        width = Shape.cast(self.shape).width
        kind = SyncFIFO if self.config.latency == 1 else SyncFIFOBuffered
        m.submodules.fifo = fifo = kind(width=width, depth=self.config.depth)
        m.d.comb += [
            fifo.w_data.eq(Value.cast(self.i.payload)),
            fifo.w_en.eq(self.i.valid),
            self.i.ready.eq(fifo.w_rdy),
            Value.cast(self.o.payload).eq(fifo.r_data),
            self.o.valid.eq(fifo.r_rdy),
            fifo.r_en.eq(self.o.ready),
            self.level.eq(fifo.level),
        ]
        return m

    def _behind_a_register(self, m):
        """A memory for all values but the oldest; without others a value goes past it."""
        i, o = self.i, self.o
        m.submodules.fifo = fifo = SyncFIFO(width=Shape.cast(self.shape).width, depth=self.config.depth - 1)
        moves = Signal()
        m.d.comb += [
            moves.eq(~o.valid | o.ready),
            fifo.w_data.eq(Value.cast(i.payload)),
            fifo.w_en.eq(i.valid & (fifo.r_rdy | ~moves)),
            fifo.r_en.eq(moves),
            i.ready.eq(fifo.w_rdy),
            self.level.eq(fifo.level + o.valid),
        ]
        with m.If(moves):
            m.d.sync += [
                o.valid.eq(fifo.r_rdy | i.valid),
                Value.cast(o.payload).eq(Mux(fifo.r_rdy, fifo.r_data, Value.cast(i.payload))),
            ]
