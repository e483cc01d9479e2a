"""Arrays to single elements, and elements to arrays."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer

__all__ = ["ArrayElements", "ElementArray"]


class ArrayElements(wiring.Component):
    """Gives the elements of an array one by one, the first one first.

    Latency: none. Throughput: an element a cycle. Back-pressure: an array is taken with its last element.

    Parameters
    ----------
    shape : shape-like
        Shape of an element.
    count : int
        Elements of an array, at least 1.

    Members
    -------
    i : In(stream of ArrayLayout(shape, count))
    o : Out(stream of shape)

    Raises
    ------
    TypeError, ValueError
        ``count`` is no integer, or out of its range.
    """

    def __init__(self, shape, count: int):
        require_integer("Count", count, 1)
        self._count = count
        arrays = stream.Signature(data.ArrayLayout(shape, count))
        super().__init__({"i": In(arrays), "o": Out(stream.Signature(shape))})

    @property
    def count(self):
        """Elements of an array."""
        return self._count

    def elaborate(self, platform):
        m = Module()
        index, last = Signal(range(max(self._count, 2))), Signal()
        m.d.comb += [
            last.eq(index == self._count - 1),
            self.o.valid.eq(self.i.valid),
            self.o.payload.eq(self.i.payload[index]),
            self.i.ready.eq(self.o.ready & last),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += index.eq(Mux(last, 0, index + 1))
        return m


class ElementArray(wiring.Component):
    """Puts elements side by side in an array, the first one first.

    Latency: 1 cycle from the last element to the array. Throughput: an array in ``count`` cycles. Back-pressure: an
    element is taken unless an array waits.

    Parameters
    ----------
    shape : shape-like
        Shape of an element.
    count : int
        Elements of an array, at least 1.

    Members
    -------
    i : In(stream of shape)
    o : Out(stream of ArrayLayout(shape, count))

    Raises
    ------
    TypeError, ValueError
        ``count`` is no integer, or out of its range.
    """

    def __init__(self, shape, count: int):
        require_integer("Count", count, 1)
        self._count = count
        arrays = stream.Signature(data.ArrayLayout(shape, count))
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(arrays)})

    @property
    def count(self):
        """Elements of an array."""
        return self._count

    def elaborate(self, platform):
        m = Module()
        index, last = Signal(range(max(self._count, 2))), Signal()
        m.d.comb += [last.eq(index == self._count - 1), self.i.ready.eq(~self.o.valid | self.o.ready)]
        with m.If(self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [
                self.o.payload[index].eq(self.i.payload),
                index.eq(Mux(last, 0, index + 1)),
                self.o.valid.eq(last),
            ]
        return m
