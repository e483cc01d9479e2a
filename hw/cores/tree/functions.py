"""Tables of the functions of a visit count, in integers that gateware and reference both read. No Amaranth here.

A count ``n = 2**e * m``, m in [1, 2), is cut into the exponent e and the 15 bits of m after its point, which hold all
of it: the upper ones choose an interval, the others are the position within it. Where an interval has a single
position, it is 0.
"""

import functools
from decimal import ROUND_HALF_EVEN, Context, Decimal

from ..function.polynomial import PolynomialTable, fit_polynomials
from .config import VISIT_WIDTH

__all__ = [
    "LOGARITHM_INDEX_WIDTH",
    "MANTISSA_WIDTH",
    "RECIPROCAL_FRACTION",
    "RECIPROCAL_ROOT_FRACTION",
    "ROOT_FRACTION",
    "ROOT_INDEX_WIDTH",
    "logarithm_root_table",
    "reciprocal_root_table",
    "reciprocal_table",
    "root_table",
]

# Bits of a count after its leading one.
MANTISSA_WIDTH = VISIT_WIDTH - 1
RECIPROCAL_FRACTION = 18
RECIPROCAL_ROOT_FRACTION = 17
# Fraction bits of both roots that `g` is made of, that of the logarithm and that of the count.
ROOT_FRACTION = 16
# Bits of m that choose an interval, for all but the logarithm.
ROOT_INDEX_WIDTH = 8
LOGARITHM_INDEX_WIDTH = 5
# Decimal digits while nearest values are found.
_PRECISION = 40


@functools.cache
def reciprocal_table():
    """``1 / m``, exact at 1; at most 1.5 units of 18 fraction bits off."""
    return PolynomialTable(
        coefficients=fit_polynomials(
            lambda m, context: 1 / m,
            start=1,
            end=2,
            intervals=1 << ROOT_INDEX_WIDTH,
            degree=1,
            fraction=RECIPROCAL_FRACTION,
            first=1 << RECIPROCAL_FRACTION,
        ),
        offset_width=MANTISSA_WIDTH - ROOT_INDEX_WIDTH,
    )


def _of_odd_exponents_too(function, fraction):
    """A function of m in the lower half of the table, of 2 m in the upper: what the root of a count needs."""
    halves = [
        fit_polynomials(
            function,
            start=start,
            end=2 * start,
            intervals=1 << ROOT_INDEX_WIDTH,
            degree=1,
            fraction=fraction,
            first=1 << fraction if start == 1 else None,
        )
        for start in (1, 2)
    ]
    return PolynomialTable(coefficients=halves[0] + halves[1], offset_width=MANTISSA_WIDTH - ROOT_INDEX_WIDTH)


@functools.cache
def reciprocal_root_table():
    """``1 / sqrt(m)``, exact at 1, then ``1 / sqrt(2 m)``; at most 1.5 units of 17 fraction bits off."""
    return _of_odd_exponents_too(lambda m, context: 1 / m.sqrt(context), RECIPROCAL_ROOT_FRACTION)


@functools.cache
def root_table():
    """``sqrt(m)``, exact at 1, then ``sqrt(2 m)``; at most 1.4 units of 16 fraction bits off."""
    return _of_odd_exponents_too(lambda m, context: m.sqrt(context), ROOT_FRACTION)


@functools.cache
def logarithm_root_table():
    """``sqrt(ln n)``: for each exponent of n, intervals over its octave; at most 1.8 units of 16 fraction bits off.

    Counts to 63 are at the beginnings of intervals, and get the nearest value.
    """
    return PolynomialTable(
        coefficients=tuple(row for exponent in range(VISIT_WIDTH) for row in _logarithm_octave(exponent)),
        offset_width=MANTISSA_WIDTH - LOGARITHM_INDEX_WIDTH,
    )


def _logarithm_octave(exponent):
    intervals, start = 1 << LOGARITHM_INDEX_WIDTH, 1 << exponent
    if exponent > LOGARITHM_INDEX_WIDTH:
        return fit_polynomials(
            _logarithm_root, start=start, end=2 * start, intervals=intervals, degree=1, fraction=ROOT_FRACTION
        )
    context = Context(prec=_PRECISION)
    values = []
    for index in range(intervals):
        count = start + Decimal(index * start) / intervals
        scaled = _logarithm_root(count, context) * (1 << ROOT_FRACTION)
        values.append((int(scaled.to_integral_value(rounding=ROUND_HALF_EVEN)), 0))
    return tuple(values)


def _logarithm_root(count, context):
    return count.ln(context).sqrt(context)
