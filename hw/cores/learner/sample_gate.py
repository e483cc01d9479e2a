"""Lets a batch through."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer
from ..layer.config import BATCH_WIDTH
from ..stream.skid_buffer import SkidBuffer

__all__ = ["SampleGate"]


class SampleGate(wiring.Component):
    """Lets the elements of ``batch`` samples through when it is opened, and holds the next ones back.

    Latency: none; open from the cycle after ``open``. Throughput: an element a cycle. Back-pressure: that of ``o``
    while it is open, behind a place for an element, so that no path joins ``ready`` of the two.

    Parameters
    ----------
    shape : shape-like
        Shape of an element.
    elements : int
        Elements of a sample, at least 1.

    Members
    -------
    open : In(1)
    batch : In(16)
        Samples, at least 1; taken with ``open``.
    i : In(stream of shape)
    o : Out(stream of shape)

    Raises
    ------
    TypeError, ValueError
        ``elements`` is no integer, or out of its range.
    """

    def __init__(self, shape, elements: int):
        require_integer("Elements", elements, 1)
        self._elements = elements
        numbers = stream.Signature(shape)
        super().__init__({"open": In(1), "batch": In(BATCH_WIDTH), "i": In(numbers), "o": Out(numbers)})

    @property
    def elements(self):
        """Elements of a sample."""
        return self._elements

    def elaborate(self, platform):
        m = Module()
        inputs = self._elements
        index, left, is_open, last = Signal(range(max(inputs, 2))), Signal(BATCH_WIDTH), Signal(), Signal()
        m.submodules.skid_buffer = waiting = SkidBuffer(self.i.payload.shape())
        wiring.connect(m, wiring.flipped(self.i), waiting.i)
        m.d.comb += [
            self.o.payload.eq(waiting.o.payload),
            self.o.valid.eq(waiting.o.valid & is_open),
            waiting.o.ready.eq(self.o.ready & is_open),
            last.eq(index == inputs - 1),
        ]
        with m.If(self.open):
            m.d.sync += [is_open.eq(1), left.eq(self.batch)]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += index.eq(Mux(last, 0, index + 1))
            with m.If(last):
                m.d.sync += [left.eq(left - 1), is_open.eq(left != 1)]
        return m
