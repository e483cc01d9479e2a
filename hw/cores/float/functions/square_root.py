"""Square roots and their reciprocals."""

from amaranth.hdl import Cat, Module, Signal, signed

from ..datapath import decode, shift_left
from .datapath import hold, normalise
from .tables import reciprocal_square_root_table, result_fraction, square_root_table
from .unit import FloatTableUnit, look_up

__all__ = ["FloatReciprocalSquareRoot", "FloatSquareRoot"]


class _FloatRoot(FloatTableUnit):
    """The common part: halve the exponent, and look up a root of the significand, or of twice the significand."""

    CYCLES_BESIDE = 2

    def datapath(self, m):
        """``(root, half, at)``: what the table gives, half the exponent without its bias, and what the operand is."""
        number_format = self._config.format
        m.submodules.table = table = self._table
        operand = decode(m, number_format, self.a, "a")
        fraction, field, rest = normalise(m, number_format, operand, later=2)
        first = hold(
            m,
            1,
            fraction=fraction,
            rest=rest,
            field=field,
            sign=operand.sign,
            zero=operand.zero,
            infinite=operand.special,
            invalid=operand.nan | operand.sign & ~operand.zero,
        )
        exponent = Signal(signed(number_format.exponent_bits + 2))
        m.d.comb += exponent.eq(first.field - number_format.bias)
        look_up(m, table, Cat(shift_left(m, first.fraction, first.rest, "rest"), exponent[0]))
        half = Signal(signed(number_format.exponent_bits + 1))
        m.d.comb += half.eq(exponent >> 1)
        at = hold(
            m,
            table.latency,
            half=half,
            sign=first.sign,
            zero=first.zero,
            infinite=first.infinite,
            invalid=first.invalid,
        )
        return table.result, at.half, at


class FloatSquareRoot(_FloatRoot):
    """Square root, from a table of the significand.

    ``result = sqrt(a)``

    Number format: the configuration's. The error is below 0.6 units in the last place: of the two numbers around the
    exact result it is one, and the roots of squares are exact. The function is monotone. A zero keeps its sign,
    negative numbers and NaN give the quiet NaN.

    Latency: 6 cycles (leading zeros, table 4, rounding) for formats of up to 12 fraction bits, 8 beyond; one
    operand a cycle. No back-pressure.

    Parameters
    ----------
    config : FloatFunctionConfig

    Members
    -------
    a : In(width)
    result : Out(width)
    nonfinite : Out(1)
        The result is infinity or NaN.
    """

    TABLE = staticmethod(square_root_table)

    def elaborate(self, platform):
        m = Module()
        number_format = self._config.format
        root, half, at = self.datapath(m)
        # From 1 to 2, two excluded.
        magnitude, base = Signal(result_fraction(number_format) + 1), Signal(number_format.exponent_bits)
        m.d.comb += [magnitude.eq(root), base.eq(half + (number_format.bias - 1))]
        flags = {"nothing": at.zero, "infinite": at.infinite, "invalid": at.invalid}
        self.finish(m, base, magnitude, 1, sign=at.sign, **flags)
        return m


class FloatReciprocalSquareRoot(_FloatRoot):
    """Reciprocal of a square root, from a table of the significand.

    ``result = 1 / sqrt(a)``

    Number format: the configuration's. The error is below 0.6 units in the last place: of the two numbers around the
    exact result it is one, and exact for powers of four. The function is monotone. A zero gives an infinity of its
    sign, infinity gives +0, negative numbers and NaN give the quiet NaN.

    Latency: 6 cycles (leading zeros, table 4, rounding) for formats of up to 12 fraction bits, 8 beyond; one
    operand a cycle. No back-pressure.

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

    TABLE = staticmethod(reciprocal_square_root_table)

    def elaborate(self, platform):
        m = Module()
        number_format = self._config.format
        root, half, at = self.datapath(m)
        # From 1 to 2: two leading bits.
        magnitude, base = Signal(result_fraction(number_format) + 2), Signal(number_format.exponent_bits)
        m.d.comb += [magnitude.eq(root), base.eq(number_format.bias - 2 - half)]
        flags = {"nothing": at.infinite, "infinite": at.zero, "invalid": at.invalid}
        self.finish(m, base, magnitude, 2, sign=at.sign, **flags)
        return m
