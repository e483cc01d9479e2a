"""A first-in, first-out buffer between two streams."""

from amaranth.hdl import Module, Shape, Value
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
