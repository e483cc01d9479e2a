"""One stream to several."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer

__all__ = ["StreamFork"]


class StreamFork(wiring.Component):
    """Gives each value of a stream to several, in order, unchanged.

    Every stream takes a value when it is ready, whatever the others do; the next value comes when all have it.

    Latency: none. Throughput: one value a cycle while all are ready. Back-pressure: that of the slowest.

    Parameters
    ----------
    shape : shape-like
        Payload.
    ways : int
        At least 1.

    Members
    -------
    i : :py:`In(stream.Signature(shape))`
    o : :py:`Out(stream.Signature(shape)).array(ways)`

    Raises
    ------
    TypeError, ValueError
        ``ways`` is no integer, or out of its range.
    """

    def __init__(self, shape, ways: int):
        require_integer("Ways", ways, 1)
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)).array(ways)})

    @property
    def ways(self):
        """Streams that are given each value."""
        return len(self.o)

    def elaborate(self, platform):
        m = Module()
        # Outputs that have the value while another has not.
        had = Signal(self.ways)
        has = Signal(self.ways)
        for index, target in enumerate(self.o):
            m.d.comb += [
                target.payload.eq(self.i.payload),
                target.valid.eq(self.i.valid & ~had[index]),
                has[index].eq(had[index] | target.ready),
            ]
        m.d.comb += self.i.ready.eq(has.all())
        with m.If(self.i.valid):
            m.d.sync += had.eq(Cat(has[index] & ~self.i.ready for index in range(self.ways)))
        return m
