"""Sums of consecutive numbers of a stream."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..checks import require_integer
from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.config import FloatConfig, FloatLaneConfig
from ..pipeline import delay
from .config import sequential_sum_cycles

__all__ = ["SequentialSum"]


class SequentialSum(ConfiguredComponent):
    """Adds ``count`` numbers, one after the other, and gives their sum; then the next ``count``.

    Number format: the configuration's; the sum starts with the first number, every further sum is rounded.

    Latency: ``cycles`` from the first of the numbers to their sum, valid, if they wait. Throughput: a sum in
    ``cycles``. Back-pressure: numbers wait while a sum is computed or is not taken.

    Parameters
    ----------
    config : FloatLaneConfig
    count : int
        At least 1.

    Members
    -------
    i : In(stream of width)
    o : Out(stream of width)

    Raises
    ------
    TypeError, ValueError
        ``count`` is no integer, or out of its range.
    """

    def __init__(self, config: FloatLaneConfig, count: int):
        require_integer("Count", count, 1)
        self._count = count
        super().__init__(
            config, {"i": In(stream.Signature(config.format.width)), "o": Out(stream.Signature(config.format.width))}
        )

    @property
    def count(self):
        """Numbers of a sum."""
        return self._count

    @property
    def cycles(self):
        """Cycles of a sum."""
        return sequential_sum_cycles(self._config, self._count)

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.adder = adder = FloatAdder(FloatConfig(format=config.format, depth=config.adder_depth))
        index, total = Signal(range(max(self._count, 2))), Signal(config.format.width, reset_less=True)
        adding, complete, begins = Signal(), Signal(), Signal()
        last = index == self._count - 1
        arrives = delay(m, begins, config.adder_depth, "begins", reset_less=False)
        m.d.comb += [
            adder.a.eq(total),
            adder.b.eq(self.i.payload),
            adder.subtract.eq(0),
            self.i.ready.eq(~adding & ~complete),
            self.o.valid.eq(complete & ~adding),
            self.o.payload.eq(total),
        ]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [index.eq(index + 1), complete.eq(last)]
            with m.If(last):
                m.d.sync += index.eq(0)
            with m.If(index == 0):
                m.d.sync += total.eq(self.i.payload)
            with m.Else():
                m.d.comb += begins.eq(1)
                m.d.sync += adding.eq(1)
        with m.If(arrives):
            m.d.sync += [total.eq(adder.result), adding.eq(0)]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += complete.eq(0)
        return m
