"""A value at one of several places."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer

__all__ = ["OneHot"]


class OneHot(wiring.Component):
    """Gives ``count`` elements for each place and value: the value at its place, and zeros.

    Latency: none. Throughput: an element a cycle. Back-pressure: place and value wait for each other, and are taken
    with the last element.

    Parameters
    ----------
    shape : shape-like
        Shape of an element.
    count : int
        Elements that a value makes, at least 1.

    Members
    -------
    places : In(stream of range(count))
        A place out of range makes zeros.
    values : In(stream of shape)
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
                "places": In(stream.Signature(range(max(count, 2)))),
                "values": In(stream.Signature(shape)),
                "o": Out(stream.Signature(shape)),
            }
        )

    @property
    def count(self):
        """Elements that a value makes."""
        return self._count

    def elaborate(self, platform):
        m = Module()
        index, last, moves = Signal(range(max(self._count, 2))), Signal(), Signal()
        m.d.comb += [
            last.eq(index == self._count - 1),
            moves.eq(self.o.valid & self.o.ready),
            self.o.payload.eq(Mux(index == self.places.payload, self.values.payload, 0)),
            self.o.valid.eq(self.places.valid & self.values.valid),
            self.places.ready.eq(moves & last),
            self.values.ready.eq(moves & last),
        ]
        with m.If(moves):
            m.d.sync += index.eq(Mux(last, 0, index + 1))
        return m
