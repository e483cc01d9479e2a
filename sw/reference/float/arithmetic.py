"""Multiplication, addition and both at once, rounded to nearest even, on arrays of bit patterns.

Every function takes integers of any kind that broadcast against each other and returns int64. Only integer arithmetic:
the bits do not depend on the floating point of the machine.
"""

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.float.config import FloatFormat
from ..arrays import FlagArray, IntegerArray
from .rounding import Unpacked, bit_length, round_and_pack, shift_right_sticky, unpack

__all__ = ["add", "fused_multiply_add", "is_nonfinite", "multiply", "negate", "subtract"]

# Where sums are formed: leading ones at this bit leave room for a carry, and below the product of two of the longest
# significands (48 bits) for a sticky bit that no cancellation brings near the rounding place.
_LEADING = 60


def multiply(number_format: FloatFormat, a: ArrayLike, b: ArrayLike) -> IntegerArray:
    """``a * b``. Zero times infinity is NaN."""
    left, right = unpack(number_format, a), unpack(number_format, b)
    sign = left.sign ^ right.sign
    result = round_and_pack(number_format, sign, left.magnitude * right.magnitude, left.exponent + right.exponent)
    infinite = left.infinite | right.infinite
    invalid = left.nan | right.nan | infinite & (left.zero | right.zero)
    return _special(number_format, result, sign, infinite, invalid)


def add(number_format: FloatFormat, a: ArrayLike, b: ArrayLike) -> IntegerArray:
    """``a + b``. Opposite infinities give NaN; an exact cancellation is +0, two zeros of one sign keep it."""
    left, right = unpack(number_format, a), unpack(number_format, b)
    return _sum(number_format, left, right)


def subtract(number_format: FloatFormat, a: ArrayLike, b: ArrayLike) -> IntegerArray:
    """``a - b``: the sum with the sign of ``b`` changed."""
    return add(number_format, a, negate(number_format, b))


def fused_multiply_add(number_format: FloatFormat, a: ArrayLike, b: ArrayLike, c: ArrayLike) -> IntegerArray:
    """``a * b + c``, rounded once."""
    left, right = unpack(number_format, a), unpack(number_format, b)
    product = unpack(number_format, np.zeros(np.broadcast_shapes(np.shape(a), np.shape(b)), np.int64))
    product.sign = left.sign ^ right.sign
    product.magnitude = left.magnitude * right.magnitude
    product.exponent = left.exponent + right.exponent
    product.zero = left.zero | right.zero
    product.infinite = left.infinite | right.infinite
    product.nan = left.nan | right.nan | product.infinite & product.zero
    return _sum(number_format, product, unpack(number_format, c))


def negate(number_format: FloatFormat, a: ArrayLike) -> IntegerArray:
    """``-a``, of NaN too."""
    return np.asarray(a).astype(np.int64) ^ number_format.sign_bit


def is_nonfinite(number_format: FloatFormat, a: ArrayLike) -> FlagArray:
    """Whether numbers are infinite or NaN."""
    return np.asarray(a).astype(np.int64) & number_format.infinity == number_format.infinity


def _sum(number_format: FloatFormat, left: Unpacked, right: Unpacked) -> IntegerArray:
    """The rounded sum of two unpacked numbers, whose magnitudes may have up to 48 bits."""
    exponents, magnitudes = [], []
    for operand in (left, right):
        shift = _LEADING + 1 - bit_length(operand.magnitude)
        magnitudes.append(operand.magnitude << shift)
        # A zero is as small as can be, and never the one that the other is aligned to.
        exponents.append(np.where(operand.magnitude == 0, -(1 << 20), operand.exponent - shift))
    exponent = np.maximum(*exponents)
    aligned = [
        shift_right_sticky(magnitude, exponent - own) for magnitude, own in zip(magnitudes, exponents, strict=True)
    ]
    total = sum(np.where(operand.sign, -part, part) for operand, part in zip((left, right), aligned, strict=True))
    sign = np.where(total == 0, left.sign & right.sign, total < 0)
    result = round_and_pack(number_format, sign, np.abs(total), exponent)
    infinite = left.infinite | right.infinite
    invalid = left.nan | right.nan | left.infinite & right.infinite & (left.sign ^ right.sign)
    return _special(number_format, result, np.where(left.infinite, left.sign, right.sign), infinite, invalid)


def _special(
    number_format: FloatFormat, result: IntegerArray, sign: FlagArray, infinite: FlagArray, invalid: FlagArray
) -> IntegerArray:
    """Infinities and NaN over what the finite numbers gave."""
    signed_infinity = number_format.infinity | sign.astype(np.int64) << number_format.width - 1
    result = np.where(infinite, signed_infinity, result)
    return np.where(invalid, number_format.quiet_nan, result)
