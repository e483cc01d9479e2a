"""Parts of samples, side by side and apart again."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer

__all__ = ["StreamConcatenation", "StreamSplit"]


class StreamConcatenation(wiring.Component):
    """Puts two streams one behind the other, sample by sample: the first one's values, then the second one's.

    Latency: none. Throughput: one value a cycle. Back-pressure: that of ``o`` on the stream whose turn it is; the other
    one waits.

    Parameters
    ----------
    shape : shape-like
        Payload.
    first, second : int
        Values of a sample on each of the two, at least 1.

    Members
    -------
    i : :py:`In(stream.Signature(shape)).array(2)`
    o : :py:`Out(stream.Signature(shape))`

    Raises
    ------
    TypeError, ValueError
        A number of values is no integer, or out of its range.
    """

    def __init__(self, shape, first: int, second: int):
        require_integer("First", first, 1)
        require_integer("Second", second, 1)
        self._first, self._second = first, second
        super().__init__({"i": In(stream.Signature(shape)).array(2), "o": Out(stream.Signature(shape))})

    @property
    def first(self):
        """Values of a sample on the first stream."""
        return self._first

    @property
    def second(self):
        """Values of a sample on the second stream."""
        return self._second

    def elaborate(self, platform):
        m = Module()
        index = _place(m, self.o, self._first + self._second)
        for turn, source in zip((index < self._first, index >= self._first), self.i, strict=True):
            with m.If(turn):
                m.d.comb += [
                    self.o.payload.eq(source.payload),
                    self.o.valid.eq(source.valid),
                    source.ready.eq(self.o.ready),
                ]
        return m


class StreamSplit(wiring.Component):
    """Takes apart what :class:`StreamConcatenation` put together: the first values of each sample, and the others.

    Latency: none. Throughput: one value a cycle. Back-pressure: that of the stream whose turn it is.

    Parameters
    ----------
    shape : shape-like
        Payload.
    first, second : int
        Values of a sample on each of the two, at least 1.

    Members
    -------
    i : :py:`In(stream.Signature(shape))`
    o : :py:`Out(stream.Signature(shape)).array(2)`

    Raises
    ------
    TypeError, ValueError
        A number of values is no integer, or out of its range.
    """

    def __init__(self, shape, first: int, second: int):
        require_integer("First", first, 1)
        require_integer("Second", second, 1)
        self._first, self._second = first, second
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)).array(2)})

    @property
    def first(self):
        """Values of a sample on the first stream."""
        return self._first

    @property
    def second(self):
        """Values of a sample on the second stream."""
        return self._second

    def elaborate(self, platform):
        m = Module()
        index = _place(m, self.i, self._first + self._second)
        for turn, sink in zip((index < self._first, index >= self._first), self.o, strict=True):
            m.d.comb += [sink.payload.eq(self.i.payload), sink.valid.eq(self.i.valid & turn)]
            with m.If(turn):
                m.d.comb += self.i.ready.eq(sink.ready)
        return m


def _place(m, values, count):
    """Which value of a sample of ``count`` it is the turn of, on a stream."""
    index = Signal(range(count))
    with m.If(values.valid & values.ready):
        m.d.sync += index.eq(Mux(index == count - 1, 0, index + 1))
    return index
