"""The horizontal half of pooling: columns of a window, or all its pixels, become one."""

from itertools import pairwise

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .column_reduction import neutral, reduced
from .window_reduction_config import WindowReductionConfig

__all__ = ["WindowReduction", "reduced_columns"]


def reduced_columns(config: WindowReductionConfig) -> data.StructLayout:
    """A vector of a line of columns, or of a window.

    ``elements``: a column's results. ``last``: the line, or the window, ends with this vector. ``maximum``: the largest
    is wanted, and not the sum. ``slides``: vectors are a line over which a window slides, else they are one window.
    ``kernel``: columns of a window that slides (1 to ``columns``), else 1. ``stride``: columns from a window to the
    next one (1 to ``columns``), else 1. The last four stay the same for all vectors of a line or window.
    """
    columns = range(config.columns + 1)
    return data.StructLayout(
        {
            "elements": data.ArrayLayout(signed(config.column_width), config.lanes),
            "last": 1,
            "maximum": 1,
            "slides": 1,
            "kernel": columns,
            "stride": columns,
        }
    )


class WindowReduction(ConfiguredComponent):
    """Reduces columns to windows: those that a window slides over, or all vectors of a window.

    A window that slides is reduced from a shift register of the last ``columns - 1`` vectors and the one that comes.
    The first window of a line ends with vector ``kernel - 1``, and the others each ``stride`` vectors later. Windows
    that do not slide are accumulated. Sums are exact. An average is a sum times a multiplier (:class:`.Requantizer`).

    Latency: a cycle from a window's last vector to its result. Throughput: a vector a cycle. Back-pressure: that of
    ``o``, on a window's last vector.

    Parameters
    ----------
    config : WindowReductionConfig

    Members
    -------
    i : :py:`In(stream.Signature(reduced_columns(config)))`
    o : :py:`Out(stream.Signature(data.ArrayLayout(signed(result_width), lanes)))`

    Source
    ------
    DYNAMAP, section 3.1.3: the pooling module, of the maximum; averages are ours.
    """

    def __init__(self, config: WindowReductionConfig):
        result = data.ArrayLayout(signed(config.result_width), config.lanes)
        super().__init__(
            config, {"i": In(stream.Signature(reduced_columns(config))), "o": Out(stream.Signature(result))}
        )

    @property
    def latency(self):
        """Cycles from a window's last vector to its result."""
        return 1

    def elaborate(self, platform):
        m = Module()
        config = self._config
        payload, first, ends, leaves = self.i.payload, Signal(init=1), Signal(), Signal()
        remaining, kept = (Signal(range(config.columns + 1), name=name) for name in ("remaining", "kept"))
        takes = self.i.valid & self.i.ready
        m.d.comb += [
            remaining.eq(Mux(first, payload.kernel, kept)),
            ends.eq(Mux(payload.slides, remaining == 1, payload.last)),
            leaves.eq(self.o.ready | ~self.o.valid),
            self.i.ready.eq(leaves | ~ends),
        ]
        with m.If(takes):
            m.d.sync += [first.eq(payload.last), kept.eq(Mux(remaining == 1, payload.stride, remaining - 1))]

        counts = [payload.kernel > number for number in range(1, config.columns)]
        # Where nothing slides, the register's first place holds what is accumulated.
        counts[0] = Mux(payload.slides, counts[0], ~first)
        results = []
        for lane in range(config.lanes):
            earlier = [
                Signal(signed(config.column_width if number else config.result_width), name=f"earlier_{lane}_{number}")
                for number in range(config.columns - 1)
            ]
            element = payload.elements[lane]
            terms = [Mux(*pair, neutral(config, payload.maximum)) for pair in zip(counts, earlier, strict=True)]
            # The accumulated sum has the most bits, and comes last.
            result = reduced(m, [element, *reversed(terms)], payload.maximum, config.result_width, f"window_{lane}")
            with m.If(takes):
                m.d.sync += earlier[0].eq(Mux(payload.slides, element, result))
                m.d.sync += [after.eq(before) for before, after in pairwise(earlier)]
            results.append(result)
        with m.If(leaves):
            m.d.sync += [self.o.valid.eq(self.i.valid & ends), self.o.payload.eq(Cat(results))]
        return m
