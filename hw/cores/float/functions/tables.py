"""Contents of the function tables for a format, in integers that gateware and reference both read. No Amaranth here.

All are functions of a position within [0, 1): the fraction of a significand, of an exponent of two, or a fixed-point
number. Formats of up to 12 fraction bits take lines, longer ones parabolas, and as many intervals as keep the error of
the pieces below an eighth of a unit in the last place.
"""

import functools
from decimal import ROUND_HALF_EVEN, Context, Decimal

from ...function.polynomial import PolynomialTable, fit_polynomials
from ..config import FloatFormat

__all__ = [
    "GUARD_BITS",
    "exponent_width",
    "exponential_table",
    "index_width",
    "log2_e_fraction",
    "logarithm_table",
    "logistic_table",
    "reciprocal_square_root_table",
    "reciprocal_table",
    "result_fraction",
    "rounded_log2_e",
    "rounded_ln_2",
    "square_root_table",
]

# Bits of a table's result beyond the fraction of the format.
GUARD_BITS = 5
_LINEAR_LIMIT = 12


def result_fraction(number_format: FloatFormat):
    """Fraction bits of what the tables give, and of fixed-point arguments."""
    return number_format.fraction_bits + GUARD_BITS


def index_width(number_format: FloatFormat):
    """Bits that choose the interval within a unit."""
    fraction_bits = number_format.fraction_bits
    return (fraction_bits + 3) // 2 if _degree(number_format) == 1 else (fraction_bits + 1) // 3


def _degree(number_format):
    return 1 if number_format.fraction_bits <= _LINEAR_LIMIT else 2


def _pieces(number_format, function, first=None):
    """Coefficients over [0, 1) of a function; ``first``, where it is given, is its exact value at 0."""
    fraction = result_fraction(number_format)
    return fit_polynomials(
        function,
        intervals=1 << index_width(number_format),
        degree=_degree(number_format),
        fraction=fraction,
        first=None if first is None else first << fraction,
    )


def _of_significand(number_format):
    return number_format.fraction_bits - index_width(number_format)


def _of_fixed_point(number_format):
    return result_fraction(number_format) - index_width(number_format)


@functools.cache
def reciprocal_table(number_format: FloatFormat):
    """``2 / (1 + t)`` of the fraction t of a significand."""
    pieces = _pieces(number_format, lambda t, context: 2 / (1 + t), first=2)
    return PolynomialTable(coefficients=pieces, offset_width=_of_significand(number_format))


@functools.cache
def square_root_table(number_format: FloatFormat):
    """``sqrt(1 + t)`` in the lower half, ``sqrt(2 (1 + t))`` in the upper: t a fraction."""
    even = _pieces(number_format, lambda t, context: (1 + t).sqrt(context), first=1)
    odd = _pieces(number_format, lambda t, context: (2 + 2 * t).sqrt(context))
    return PolynomialTable(coefficients=even + odd, offset_width=_of_significand(number_format))


@functools.cache
def reciprocal_square_root_table(number_format: FloatFormat):
    """``2 / sqrt(1 + t)`` in the lower half, ``2 / sqrt(2 (1 + t))`` in the upper: t a fraction."""
    even = _pieces(number_format, lambda t, context: 2 / (1 + t).sqrt(context), first=2)
    odd = _pieces(number_format, lambda t, context: 2 / (2 + 2 * t).sqrt(context))
    return PolynomialTable(coefficients=even + odd, offset_width=_of_significand(number_format))


@functools.cache
def exponential_table(number_format: FloatFormat):
    """``2**t`` of a fixed-point t."""
    pieces = _pieces(number_format, lambda t, context: context.power(Decimal(2), t), first=1)
    return PolynomialTable(coefficients=pieces, offset_width=_of_fixed_point(number_format))


@functools.cache
def logarithm_table(number_format: FloatFormat):
    """``ln(m) / (m - 1)`` of a fraction t: m is 1 + t in the lower half, (1 + t) / 2 in the upper."""

    def ratio(t, context):
        m = 1 + t if t < Decimal("0.5") else (1 + t) / 2
        return context.ln(m) / (m - 1)

    pieces = _pieces(number_format, ratio, first=1)
    return PolynomialTable(coefficients=pieces, offset_width=_of_significand(number_format))


@functools.cache
def logistic_table(number_format: FloatFormat):
    """``2 / (1 + t)`` in the lower half, ``2 tanh(t ln 2) / (t ln 2)`` in the upper, of a fixed-point t."""

    def ratio(t, context):
        power = context.power(Decimal(4), t)
        return 2 * (power - 1) / ((power + 1) * t * context.ln(Decimal(2)))

    lower = _pieces(number_format, lambda t, context: 2 / (1 + t))
    upper = _pieces(number_format, ratio, first=2)
    return PolynomialTable(coefficients=lower + upper, offset_width=_of_fixed_point(number_format))


def exponent_width(number_format: FloatFormat):
    """Integer bits of an exponent of two, whose limit is twice that or more beyond which results are zero."""
    # |a| below 2**(exponent_width - 1) has an exponent below 1.45 * 2**(exponent_width - 1).
    beyond = number_format.bias + number_format.fraction_bits + 2
    width = 2
    while 1.44 * (1 << width - 1) < beyond:
        width += 1
    return width


def log2_e_fraction(number_format: FloatFormat):
    """Fraction bits of the constant log2(e): as many as the largest exponents of two need."""
    return result_fraction(number_format) + number_format.exponent_bits - 2


@functools.cache
def rounded_log2_e(number_format: FloatFormat):
    """log2(e), with :func:`log2_e_fraction` bits."""
    context = Context(prec=40)
    return _scaled(context.divide(1, context.ln(Decimal(2))), log2_e_fraction(number_format))


@functools.cache
def rounded_ln_2(number_format: FloatFormat):
    """ln(2), with :func:`result_fraction` bits and one more."""
    return _scaled(Context(prec=40).ln(Decimal(2)), result_fraction(number_format) + 1)


def _scaled(value, fraction):
    return int((value * (1 << fraction)).to_integral_value(rounding=ROUND_HALF_EVEN))
