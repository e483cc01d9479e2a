"""The natural logarithm."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed

from ..datapath import decode, leading_zeros, shift_left
from .datapath import hold, normalise, without
from .tables import logarithm_table, result_fraction, rounded_ln_2
from .unit import FloatTableUnit, look_up

__all__ = ["FloatLogarithm"]


class FloatLogarithm(FloatTableUnit):
    """Natural logarithm, from a table of the significand.

    ``result = ln(a)``, by ``k ln(2) + (m - 1) * (ln(m) / (m - 1))`` of ``a = m * 2**k``, m from 3/4 to 3/2, the ratio
    from the table, so that numbers near 1 lose no digits.

    Number format: the configuration's. The error is below 0.64 units in the last place: of the two numbers around the
    exact result it is one. The function is monotone; ln(1) is +0. A zero gives -infinity, negative numbers and NaN give
    the quiet NaN.

    Latency: 9 cycles (leading zeros 1, table 4, product, sum, leading zeros and alignment, rounding) for formats of up
    to 12 fraction bits, 11 beyond; one operand a cycle. No back-pressure.

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

    TABLE = staticmethod(logarithm_table)
    CYCLES_BESIDE = 5

    def elaborate(self, platform):
        m = Module()
        m.submodules.table = self._table
        ready = self._look_up(m, self._decode(m))
        self._round(m, *self._sum(m, ready))
        return m

    def _decode(self, m):
        """The operand, its leading one found."""
        number_format = self._config.format
        operand = decode(m, number_format, self.a, "a")
        fraction, field, _ = normalise(m, number_format, operand)
        return hold(
            m,
            1,
            fraction=fraction,
            field=field,
            infinite=operand.special,
            zero=operand.zero,
            invalid=operand.nan | operand.sign & ~operand.zero,
        )

    def _look_up(self, m, first):
        """``whole``, the exponent times ln(2), ``distance`` of the significand from one, and their signs."""
        number_format, table = self._config.format, self._table
        fraction_bits = number_format.fraction_bits
        look_up(m, table, first.fraction)
        # From 3/2 on the significand is halved, and less than one.
        upper, exponent = first.fraction[-1], Signal(signed(number_format.exponent_bits + 2))
        distance = Signal(fraction_bits + 1)
        m.d.comb += [
            exponent.eq(first.field - number_format.bias + upper),
            distance.eq(Mux(upper, (1 << fraction_bits) - first.fraction, first.fraction << 1)),
        ]
        # The sign is the exponent's, or that of ln(m) where the exponent is zero.
        sign = Signal()
        m.d.comb += sign.eq(Mux(exponent == 0, upper, exponent[-1]))
        at = hold(
            m,
            1,
            size=Mux(exponent[-1], -exponent, exponent)[: number_format.exponent_bits + 1],
            opposite=sign ^ upper,
            distance=distance,
            sign=sign,
            infinite=first.infinite,
            zero=first.zero,
            invalid=first.invalid,
        )
        whole = Signal(number_format.exponent_bits + result_fraction(number_format) + 2, reset_less=True)
        m.d.sync += whole.eq(at.size * Const(rounded_ln_2(number_format)))
        later = hold(m, 1, **without(at, "size"))
        return hold(m, table.latency - 2, whole=whole, **vars(later))

    def _sum(self, m, ready):
        """``(total, at)``: the logarithm's magnitude in fixed point, and what it is beside that."""
        number_format = self._config.format
        fraction_bits = number_format.fraction_bits
        # The ratio is below 2.
        unit = fraction_bits + 1 + result_fraction(number_format)
        product = Signal(unit + 1, reset_less=True)
        m.d.sync += product.eq(ready.distance * self._table.result)
        second = hold(m, 1, **without(ready, "distance"))
        total = Signal(unit + number_format.exponent_bits, reset_less=True)
        aligned = Cat(Const(0, fraction_bits), second.whole)
        m.d.sync += total.eq(Mux(second.opposite, aligned - product, aligned + product))
        return total, hold(m, 1, **without(second, "whole", "opposite"))

    def _round(self, m, total, at):
        """The sum normalised and rounded."""
        number_format = self._config.format
        fraction_bits = number_format.fraction_bits
        # A magnitude that is not zero is at least one unit of the operand, which limits its leading zeros.
        searched = number_format.exponent_bits + fraction_bits + 1
        zeros, none = leading_zeros(m, total[len(total) - searched :], "total")
        moved = shift_left(m, total, zeros, "total")
        base = Signal(number_format.exponent_bits)
        m.d.comb += base.eq(number_format.bias + number_format.exponent_bits - 2 - zeros)
        # Below the bit to round by one more is enough, if it is sticky.
        cut = len(total) - fraction_bits - 3
        last = hold(m, 1, magnitude=Cat(moved[:cut].any(), moved[cut:]), base=base, none=none, **vars(at))
        flags = {"nothing": last.none, "infinite": last.infinite | last.zero, "invalid": last.invalid}
        self.finish(m, last.base, last.magnitude, 1, sign=last.sign | last.zero, **flags)
