"""One of several elements."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer

__all__ = ["ElementChoice"]


class ElementChoice(wiring.Component):
    """Takes ``count`` elements and a place, and gives the element at that place; then the next ``count``.

    Latency: 1 cycle from the last of the elements. Throughput: ``count`` elements in ``count + 1`` cycles.
    Back-pressure: elements wait for their place, and for the one before to be taken.

    Parameters
    ----------
    shape : shape-like
        Shape of an element.
    count : int
        Elements of which one is chosen, at least 1.

    Members
    -------
    elements : In(stream of shape)
    places : In(stream of range(count))
        A place out of range chooses the last element.
    o : Out(stream of shape)

    Raises
    ------
    TypeError, ValueError
        ``count`` is no integer, or out of its range.
    """

    def __init__(self, shape, count: int):
        require_integer("Count", count, 1)
        self._count = count
        super().__init__(
            {
                "elements": In(stream.Signature(shape)),
                "places": In(stream.Signature(range(max(count, 2)))),
                "o": Out(stream.Signature(shape)),
            }
        )

    @property
    def count(self):
        """Elements of which one is chosen."""
        return self._count

    def elaborate(self, platform):
        m = Module()
        index, passed, moves, last = Signal(range(max(self._count, 2))), Signal(), Signal(), Signal()
        m.d.comb += [
            last.eq(index == self._count - 1),
            self.elements.ready.eq(self.places.valid & ~self.o.valid),
            moves.eq(self.elements.valid & self.elements.ready),
            self.places.ready.eq(moves & last),
        ]
        with m.If(moves):
            m.d.sync += [index.eq(Mux(last, 0, index + 1)), self.o.valid.eq(last)]
            m.d.sync += passed.eq(~last & (passed | (index == self.places.payload)))
            with m.If(~passed):
                m.d.sync += self.o.payload.eq(self.elements.payload)
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        return m
