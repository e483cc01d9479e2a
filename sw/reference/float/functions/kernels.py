"""The functions in binary32, compiled: a number at a time, by the same integers as :mod:`.reciprocal` and the others.

Arguments and results are bit patterns, int64. Tables are arrays (intervals, 3) of the coefficients of parabolas.
"""

import numba

from .....hw.cores.float.config import BINARY32
from .....hw.cores.float.functions.tables import (
    exponent_width,
    log2_e_fraction,
    result_fraction,
    rounded_ln_2,
    rounded_log2_e,
)
from ...arrays import IntegerArray

__all__ = ["exponentials", "logarithms", "reciprocals", "square_roots"]

BIAS, FRACTION_BITS, INFINITY = BINARY32.bias, BINARY32.fraction_bits, BINARY32.infinity
QUIET_NAN, SIGN_BIT = BINARY32.quiet_nan, BINARY32.sign_bit
FRACTION_MASK = (1 << FRACTION_BITS) - 1
RESULT_FRACTION = result_fraction(BINARY32)
EXPONENT_WIDTH = exponent_width(BINARY32)
LOG2_E, LOG2_E_FRACTION, LN_2 = rounded_log2_e(BINARY32), log2_e_fraction(BINARY32), rounded_ln_2(BINARY32)
# Position of the leading one for rounding, and bits that are cut from there.
TOP = 62
CUT = TOP - FRACTION_BITS


@numba.njit(cache=True)
def _bit_length(magnitude: int) -> int:
    length = 0
    for step in (32, 16, 8, 4, 2, 1):
        if magnitude >> step:
            length += step
            magnitude >>= step
    return length + magnitude


@numba.njit(cache=True)
def _packed(magnitude: int, exponent: int) -> int:
    """The pattern nearest to ``magnitude * 2**exponent``, ties to even."""
    if magnitude == 0:
        return 0
    length = _bit_length(magnitude)
    normalised = magnitude << TOP + 1 - length
    field = exponent + length - 1 + BIAS
    distance = min(max(1 - field, 0), 63)
    shifted = normalised >> distance
    if shifted << distance != normalised:
        shifted |= 1
    kept, rest, half = shifted >> CUT, shifted & (1 << CUT) - 1, 1 << CUT - 1
    if rest > half or (rest == half and kept & 1):
        kept += 1
    return min(kept + (max(field - 1, 0) << FRACTION_BITS), INFINITY)


@numba.njit(cache=True)
def _normalised(magnitude: int) -> tuple[int, int]:
    """Fraction, and exponent of the leading one, of a positive finite number."""
    field, fraction = magnitude >> FRACTION_BITS, magnitude & FRACTION_MASK
    if field:
        return fraction, field - BIAS
    missing = FRACTION_BITS + 1 - _bit_length(fraction)
    return (fraction << missing) & FRACTION_MASK, 1 - BIAS - missing


@numba.njit(cache=True)
def _look_up(table: IntegerArray, position: int, offset_width: int) -> int:
    index, offset = position >> offset_width, position & (1 << offset_width) - 1
    slope = table[index, 1] + (table[index, 2] * offset >> offset_width)
    return table[index, 0] + (slope * offset >> offset_width)


@numba.njit(cache=True)
def reciprocals(bits: IntegerArray, table: IntegerArray, offset_width: int, results: IntegerArray) -> None:
    """``1 / a``."""
    for place in range(len(bits)):
        sign, magnitude = bits[place] & SIGN_BIT, bits[place] & SIGN_BIT - 1
        if magnitude > INFINITY:
            results[place] = QUIET_NAN
        elif magnitude == INFINITY:
            results[place] = sign
        elif magnitude == 0:
            results[place] = sign | INFINITY
        else:
            fraction, exponent = _normalised(magnitude)
            half = _look_up(table, fraction, offset_width)
            results[place] = sign | _packed(half, -exponent - 1 - RESULT_FRACTION)


@numba.njit(cache=True)
def square_roots(bits: IntegerArray, table: IntegerArray, offset_width: int, results: IntegerArray) -> None:
    """``sqrt(a)``."""
    for place in range(len(bits)):
        sign, magnitude = bits[place] & SIGN_BIT, bits[place] & SIGN_BIT - 1
        if magnitude == 0:
            results[place] = sign
        elif sign or magnitude > INFINITY:
            results[place] = QUIET_NAN
        elif magnitude == INFINITY:
            results[place] = INFINITY
        else:
            fraction, exponent = _normalised(magnitude)
            root = _look_up(table, fraction | (exponent & 1) << FRACTION_BITS, offset_width)
            results[place] = _packed(root, (exponent >> 1) - RESULT_FRACTION)


@numba.njit(cache=True)
def exponentials(bits: IntegerArray, table: IntegerArray, offset_width: int, results: IntegerArray) -> None:
    """``e**a``."""
    for place in range(len(bits)):
        negative, magnitude = bits[place] & SIGN_BIT != 0, bits[place] & SIGN_BIT - 1
        field = magnitude >> FRACTION_BITS
        exponent = max(field, 1) - BIAS - FRACTION_BITS
        if magnitude > INFINITY:
            results[place] = QUIET_NAN
        elif exponent + FRACTION_BITS > EXPONENT_WIDTH - 2:
            results[place] = 0 if negative else INFINITY
        else:
            significand = magnitude & FRACTION_MASK | ((1 << FRACTION_BITS) if field else 0)
            right = min(max(LOG2_E_FRACTION - RESULT_FRACTION - exponent, 0), 63)
            power = significand * LOG2_E >> right
            if negative:
                power = ~power
            root = _look_up(table, power & (1 << RESULT_FRACTION) - 1, offset_width)
            results[place] = _packed(root, (power >> RESULT_FRACTION) - RESULT_FRACTION)


@numba.njit(cache=True)
def logarithms(bits: IntegerArray, table: IntegerArray, offset_width: int, results: IntegerArray) -> None:
    """``ln(a)``."""
    for place in range(len(bits)):
        sign, magnitude = bits[place] & SIGN_BIT, bits[place] & SIGN_BIT - 1
        if magnitude == 0:
            results[place] = INFINITY | SIGN_BIT
        elif sign or magnitude > INFINITY:
            results[place] = QUIET_NAN
        elif magnitude == INFINITY:
            results[place] = INFINITY
        else:
            fraction, exponent = _normalised(magnitude)
            if fraction >> FRACTION_BITS - 1:
                exponent, less_one = exponent + 1, fraction - (1 << FRACTION_BITS)
            else:
                less_one = fraction << 1
            ratio = _look_up(table, fraction, offset_width)
            total = (exponent * LN_2 << FRACTION_BITS) + less_one * ratio
            packed = _packed(abs(total), -(FRACTION_BITS + 1 + RESULT_FRACTION))
            results[place] = packed | (SIGN_BIT if total < 0 else 0)
