"""A register that ends the path of ``ready`` between two streams."""

from amaranth.hdl import Module, Mux, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["SkidBuffer"]


class SkidBuffer(wiring.Component):
    """Passes values on; one that ``o`` does not take in its cycle is held, and goes out first.

    For streams whose ``valid`` and payload come from registers: where both ways are to be cut, a
    :class:`.StreamBuffer` is, and takes a cycle.

    Latency: none. Throughput: a value a cycle. Back-pressure: ``i`` is ready while no value is held, so no path joins
    ``ready`` of the two; ``valid`` and the payload pass.

    Parameters
    ----------
    shape : shape-like
        Payload.

    Members
    -------
    i : stream, in
    o : stream, out
    """

    def __init__(self, shape):
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})
        # The held value, for proofs.
        self.held = stream.Signature(shape).create(path=("held",))

    def elaborate(self, platform):
        m = Module()
        held, i, o = self.held, self.i, self.o
        m.d.comb += [
            i.ready.eq(~held.valid),
            o.valid.eq(i.valid | held.valid),
            Value.cast(o.payload).eq(Mux(held.valid, Value.cast(held.payload), Value.cast(i.payload))),
            held.ready.eq(o.ready),
        ]
        with m.If(~held.valid):
            m.d.sync += Value.cast(held.payload).eq(Value.cast(i.payload))
        m.d.sync += held.valid.eq(o.valid & ~o.ready)
        return m
