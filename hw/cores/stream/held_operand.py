"""A value that goes with several elements of a stream."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer

__all__ = ["HeldOperand"]


class HeldOperand(wiring.Component):
    """Gives each of ``count`` elements together with one value, then the next ``count`` with the next value.

    Latency: none. Throughput: an element a cycle. Back-pressure: elements wait for their value, values for the last of
    their elements.

    Parameters
    ----------
    element, value : shape-like
    count : int
        Elements that go with a value, at least 1.

    Members
    -------
    elements : In(stream of element)
    values : In(stream of value)
    o : Out(stream of StructLayout({"element", "value"}))

    Raises
    ------
    TypeError, ValueError
        ``count`` is no integer, or out of its range.
    """

    def __init__(self, element, value, count: int):
        require_integer("Count", count, 1)
        self._count = count
        both = data.StructLayout({"element": element, "value": value})
        super().__init__(
            {
                "elements": In(stream.Signature(element)),
                "values": In(stream.Signature(value)),
                "o": Out(stream.Signature(both)),
            }
        )

    @property
    def count(self):
        """Elements that go with a value."""
        return self._count

    def elaborate(self, platform):
        m = Module()
        index, last = Signal(range(max(self._count, 2))), Signal()
        m.d.comb += [
            last.eq(index == self._count - 1),
            self.o.payload.element.eq(self.elements.payload),
            self.o.payload.value.eq(self.values.payload),
            self.o.valid.eq(self.elements.valid & self.values.valid),
            self.elements.ready.eq(self.o.ready & self.values.valid),
            self.values.ready.eq(self.o.ready & self.elements.valid & last),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += index.eq(Mux(last, 0, index + 1))
        return m
