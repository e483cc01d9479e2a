"""tanh of a fixed-point word."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .interpolated_table import InterpolatedTable
from .tables import TANH_FRACTION, TANH_RANGE_WIDTH, hyperbolic_tangent_table

__all__ = ["HyperbolicTangent"]


class HyperbolicTangent(wiring.Component):
    """Hyperbolic tangent by linear interpolation in a table of 1024 intervals.

    ``result = sign(value) * table(|value|)`` for ``|value| < 8``; from 8 on tanh(8), which rounds to one.

    Number format: words of 32 bits with 20 fraction bits, in and out; rounded once, half away from zero (half up of
    the magnitude). Exactly odd, monotonic, tanh(0) = 0. The error is less than 6.9e-6 everywhere: 5.9e-6 of it is
    interpolation (largest where the curvature is, at 0.66), 0.2e-6 the table's rounding and 0.5e-6 the result's.

    Latency: 6 cycles (magnitude, table 4, sign), one value a cycle. No back-pressure.

    Members
    -------
    value : In(signed(32))
    result : Out(signed(32))

    Source
    ------
    FIXAR, section III, activation unit of the actor's output.
    """

    value: In(signed(32))
    result: Out(signed(32))

    @property
    def latency(self):
        """Cycles from ``value`` to ``result``."""
        return 6

    def elaborate(self, platform):
        m = Module()
        table = hyperbolic_tangent_table()
        m.submodules.table = lookup = InterpolatedTable(table)

        # The magnitude of the most negative word fits because it is unsigned.
        magnitude = Signal(32)
        negative = Signal()
        m.d.sync += [magnitude.eq(Mux(self.value < 0, -self.value, self.value)), negative.eq(self.value < 0)]
        m.d.comb += [
            lookup.offset.eq(magnitude[: table.offset_width]),
            lookup.index.eq(magnitude[table.offset_width : TANH_RANGE_WIDTH]),
        ]

        # Sign and range are delayed as long as the table takes.
        beyond = magnitude[TANH_RANGE_WIDTH:].any()
        for stage in range(lookup.latency):
            next_beyond, next_negative = Signal(name=f"beyond_{stage}"), Signal(name=f"negative_{stage}")
            m.d.sync += [next_beyond.eq(beyond), next_negative.eq(negative)]
            beyond, negative = next_beyond, next_negative

        size = Signal(TANH_FRACTION + 1)
        m.d.comb += size.eq(Mux(beyond, 1 << TANH_FRACTION, lookup.result))
        m.d.sync += self.result.eq(Mux(negative, -size, size))
        return m
