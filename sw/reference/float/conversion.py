"""Conversions between fixed point, floating-point formats and the host's numbers, on arrays."""

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.fixed.format import FixedFormat
from ....hw.cores.float.config import FloatFormat
from ..arrays import FlagArray, IntegerArray, RealArray
from .rounding import bit_length, round_and_pack, shift_right_sticky, unpack

__all__ = ["convert", "from_fixed", "from_numbers", "to_fixed", "to_numbers"]


def from_fixed(number_format: FloatFormat, fixed: FixedFormat, words: ArrayLike) -> IntegerArray:
    """The nearest bit patterns (int64) to fixed-point words, ties to even; the word 0 is +0."""
    words = np.asarray(words).astype(np.int64)
    exponent = np.full_like(words, -fixed.fraction)
    return round_and_pack(number_format, words < 0, np.abs(words), exponent)


def to_fixed(number_format: FloatFormat, fixed: FixedFormat, bits: ArrayLike) -> tuple[IntegerArray, FlagArray]:
    """``(words, saturated)``: the nearest fixed-point words (int64), ties to even, clamped to the format's range.

    ``saturated`` says which were out of range, infinities among them, or NaN, which gives 0.
    """
    number = unpack(number_format, bits)
    # As magnitude with two more bits after the word's last, the lower of them sticky.
    shift = number.exponent + fixed.fraction + 2
    length = bit_length(number.magnitude)
    too_large = (length + shift - 2 > fixed.width) | number.infinite
    left = np.where(too_large, 0, np.maximum(shift, 0))
    quarters = shift_right_sticky(number.magnitude << left, np.maximum(-shift, 0))
    rounded = (quarters + 1 + (quarters >> 2 & 1)) >> 2
    words = np.where(number.sign, -rounded, rounded)
    limit = np.where(number.sign, fixed.minimum, fixed.maximum)
    saturated = (too_large | (words < fixed.minimum) | (words > fixed.maximum)) & ~number.zero
    words = np.where(saturated, limit, words)
    return np.where(number.nan, 0, words), saturated | number.nan


def convert(source: FloatFormat, target: FloatFormat, bits: ArrayLike) -> IntegerArray:
    """The same numbers in another format, rounded to nearest even; every NaN becomes the target's quiet one."""
    number = unpack(source, bits)
    result = round_and_pack(target, number.sign, number.magnitude, number.exponent)
    infinity = target.infinity | number.sign.astype(np.int64) << target.width - 1
    result = np.where(number.infinite, infinity, result)
    return np.where(number.nan, target.quiet_nan, result)


def from_numbers(number_format: FloatFormat, numbers: ArrayLike) -> IntegerArray:
    """The bit patterns (int64) nearest to float64 numbers, ties to even."""
    # A signalling NaN of a narrower host type is reported when it is widened.
    with np.errstate(invalid="ignore"):
        bits = np.ascontiguousarray(numbers, np.float64).view(np.int64)
    fraction, field = bits & (1 << 52) - 1, bits >> 52 & 0x7FF
    sign = bits < 0
    magnitude = np.where(field == 0, fraction, fraction | 1 << 52)
    result = round_and_pack(number_format, sign, magnitude, np.maximum(field, 1) - 1023 - 52)
    infinity = number_format.infinity | sign.astype(np.int64) << number_format.width - 1
    result = np.where(field == 0x7FF, infinity, result)
    return np.where((field == 0x7FF) & (fraction != 0), number_format.quiet_nan, result)


def to_numbers(number_format: FloatFormat, bits: ArrayLike) -> RealArray:
    """The meaning of bit patterns, as float64: exact for every format."""
    number = unpack(number_format, bits)
    magnitude = np.ldexp(number.magnitude.astype(np.float64), number.exponent)
    magnitude = np.where(number.infinite, np.inf, np.where(number.nan, np.nan, magnitude))
    return np.where(number.sign, -magnitude, magnitude)
