"""Reciprocals."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed

from ..datapath import decode
from .datapath import hold, shift_to_subnormal, weigh
from .tables import reciprocal_table, result_fraction
from .unit import FloatTableUnit, look_up

__all__ = ["FloatReciprocal"]


class FloatReciprocal(FloatTableUnit):
    """Reciprocal, from a table of the significand.

    ``result = 1 / a``

    Number format: the configuration's. The error is below 0.58 units in the last place: of the two numbers around the
    exact result it is one, and reciprocals of powers of two are exact. The function is monotone. A zero gives an
    infinity, an infinity a zero, of its sign; NaN gives the quiet NaN.

    Latency: 5 cycles (table 4, rounding) for formats of up to 12 fraction bits, 7 beyond; one operand a
    cycle. No back-pressure.

    Parameters
    ----------
    config : FloatFunctionConfig

    Members
    -------
    a : In(width)
    result : Out(width)
    nonfinite : Out(1)
        The result is an infinity or NaN.
    """

    TABLE = staticmethod(reciprocal_table)
    CYCLES_BESIDE = 1

    def elaborate(self, platform):
        m = Module()
        number_format = self._config.format
        m.submodules.table = table = self._table
        operand = decode(m, number_format, self.a, "a")

        # a = significand * 2**(exponent - bias): 1 / a = (2 / significand) * 2**(bias - exponent - 1).
        fraction, infinite, more = operand.fraction, operand.zero, Const(0, 1)
        if number_format.gradual:
            # Only subnormal numbers with a one among their two highest bits have a finite reciprocal.
            higher, lower = operand.fraction[-1], operand.fraction[-2]
            moved = Mux(higher, Cat(Const(0, 1), fraction[:-1]), Cat(Const(0, 2), fraction[:-2]))
            fraction = Mux(operand.normal, fraction, moved)
            more = Mux(operand.normal, 0, Mux(higher, 1, 2))
            infinite = ~operand.normal & ~higher & ~lower
        field = Signal(signed(number_format.exponent_bits + 2))
        m.d.comb += field.eq(2 * number_format.bias - 1 - operand.exponent + more)
        look_up(m, table, fraction)
        at = hold(
            m,
            table.latency,
            **weigh(m, number_format, field, 2),
            sign=operand.sign,
            infinite=infinite,
            nothing=operand.special,
            invalid=operand.nan,
        )
        # From 1 to 2: two leading bits.
        half = Signal(result_fraction(number_format) + 2)
        m.d.comb += half.eq(table.result)
        if number_format.gradual:
            magnitude, nothing = shift_to_subnormal(m, half, at.distance, at.far), at.nothing
        else:
            # Two at a field of 0 is the smallest normal number, and the only one there.
            magnitude = Mux(at.zero, half >> 1, half)
            nothing = at.nothing | at.low & ~(at.zero & half[-1])
        flags = {"sign": at.sign, "nothing": nothing, "infinite": at.infinite, "invalid": at.invalid}
        self.finish(m, at.base, magnitude, 2, **flags)
        return m
