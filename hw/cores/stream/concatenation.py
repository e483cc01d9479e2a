"""Parts of samples, side by side and apart again."""

from itertools import accumulate

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer

__all__ = ["StreamConcatenation", "StreamSplit"]


class StreamConcatenation(wiring.Component):
    """Puts streams one after the other, sample by sample: the first one's values, then the second one's, and so on.

    Latency: none. Throughput: one value a cycle. Back-pressure: that of ``o`` on the stream whose turn it is; the
    others wait.

    Parameters
    ----------
    shape : shape-like
        Payload.
    sizes : int
        Values of a sample on each of the streams, at least 1.

    Members
    -------
    i : :py:`In(stream.Signature(shape)).array(len(sizes))`
    o : :py:`Out(stream.Signature(shape))`

    Raises
    ------
    TypeError, ValueError
        A number of values is no integer, or out of its range.
    """

    def __init__(self, shape, *sizes: int):
        self._sizes = _checked(sizes)
        super().__init__({"i": In(stream.Signature(shape)).array(len(sizes)), "o": Out(stream.Signature(shape))})

    @property
    def sizes(self):
        """Values of a sample on each of the streams."""
        return self._sizes

    def elaborate(self, platform):
        m = Module()
        for turn, source in zip(_turns(m, self.o, self._sizes), self.i, strict=True):
            with m.If(turn):
                m.d.comb += [
                    self.o.payload.eq(source.payload),
                    self.o.valid.eq(source.valid),
                    source.ready.eq(self.o.ready),
                ]
        return m


class StreamSplit(wiring.Component):
    """Takes apart what :class:`StreamConcatenation` put together: the first values of each sample, the next ones, and
    so on.

    Latency: none. Throughput: one value a cycle. Back-pressure: that of the stream whose turn it is.

    Parameters
    ----------
    shape : shape-like
        Payload.
    sizes : int
        Values of a sample on each of the streams, at least 1.

    Members
    -------
    i : :py:`In(stream.Signature(shape))`
    o : :py:`Out(stream.Signature(shape)).array(len(sizes))`

    Raises
    ------
    TypeError, ValueError
        A number of values is no integer, or out of its range.
    """

    def __init__(self, shape, *sizes: int):
        self._sizes = _checked(sizes)
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape)).array(len(sizes))})

    @property
    def sizes(self):
        """Values of a sample on each of the streams."""
        return self._sizes

    def elaborate(self, platform):
        m = Module()
        for turn, sink in zip(_turns(m, self.i, self._sizes), self.o, strict=True):
            m.d.comb += [sink.payload.eq(self.i.payload), sink.valid.eq(self.i.valid & turn)]
            with m.If(turn):
                m.d.comb += self.i.ready.eq(sink.ready)
        return m


def _checked(sizes):
    if len(sizes) < 2:
        raise ValueError(f"Sizes must be those of at least 2 streams, not of {len(sizes)}")
    for size in sizes:
        require_integer("Size", size, 1)
    return sizes


def _turns(m, values, sizes):
    """Whether it is the turn of each part of a sample, on a stream of samples."""
    ends = list(accumulate(sizes))
    place = Signal(range(ends[-1]))
    with m.If(values.valid & values.ready):
        m.d.sync += place.eq(Mux(place == ends[-1] - 1, 0, place + 1))
    between = ((place >= begin) & (place < end) for begin, end in zip(ends[:-2], ends[1:-1], strict=True))
    return [place < ends[0], *between, place >= ends[-2]]
