"""Reciprocal square root of a 64-bit integer."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .interpolated_table import InterpolatedTable
from .tables import RECIPROCAL_ROOT_INDEX_WIDTH, reciprocal_square_root_table

__all__ = ["ReciprocalSquareRoot"]


class ReciprocalSquareRoot(wiring.Component):
    """``1 / sqrt(value)`` as a mantissa and an exponent.

    ``k`` is the number of leading zeros of the 64-bit ``value``, made even by dropping its lowest bit, and
    ``X = value << k`` lies in [2^62, 2^64). Then ``result ~ 2^24 / sqrt(X / 2^64)`` by linear interpolation over 192
    intervals, chosen by the top 8 bits of X and interpolated by the next 16, so that
    ``1 / sqrt(value) ~ result / 2**(24 + half_exponent)`` with ``half_exponent = (64 - k) / 2``.

    Number format: ``result`` is from 2^24 to 2^25, rounded half up; the relative error is less than 2.4e-5. A value of
    zero has no reciprocal: the result is then undefined.

    Latency: 7 cycles (normalisation 3, table 4), one value a cycle. No back-pressure.

    Members
    -------
    value : In(64)
    result : Out(26)
    half_exponent : Out(6)
        From 1 to 32.
    """

    LATENCY = 7

    value: In(64)
    result: Out(26)
    half_exponent: Out(6)

    @property
    def latency(self):
        """Cycles from ``value`` to ``result``."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        table = reciprocal_square_root_table()
        m.submodules.table = lookup = InterpolatedTable(table)

        # Shift by 32, 16, 8, 4 and 2 wherever that many leading bits are zero: one step before the first register,
        # two before each of the others. `half_zeros` collects k / 2, highest bit first.
        shifted, half_zeros = self.value, Const(0, 0)
        for stage, steps in enumerate(((32,), (16, 8), (4, 2))):
            for step in steps:
                empty = Signal(name=f"empty_{step}")
                following = Signal(64, name=f"shifted_{step}")
                m.d.comb += [
                    empty.eq(~shifted[64 - step :].any()),
                    following.eq(Mux(empty, shifted << step, shifted)),
                ]
                shifted, half_zeros = following, Cat(empty, half_zeros)
            held, held_zeros = Signal(64, name=f"held_{stage}"), Signal(len(half_zeros), name=f"zeros_{stage}")
            m.d.sync += [held.eq(shifted), held_zeros.eq(half_zeros)]
            shifted, half_zeros = held, held_zeros

        top = Signal(RECIPROCAL_ROOT_INDEX_WIDTH)
        below = 64 - RECIPROCAL_ROOT_INDEX_WIDTH
        m.d.comb += top.eq(shifted[below:])
        m.d.comb += lookup.index.eq(top - (1 << RECIPROCAL_ROOT_INDEX_WIDTH - 2))
        m.d.comb += lookup.offset.eq(shifted[below - table.offset_width : below])

        # (64 - k) / 2 is delayed as long as the table takes.
        half_exponent = Signal(6)
        m.d.comb += half_exponent.eq(32 - half_zeros)
        for stage in range(lookup.latency):
            held = Signal(6, name=f"half_exponent_{stage}")
            m.d.sync += held.eq(half_exponent)
            half_exponent = held
        m.d.comb += [self.result.eq(lookup.result), self.half_exponent.eq(half_exponent)]
        return m
