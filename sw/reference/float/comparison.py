"""Comparisons, minimum and maximum, on arrays of bit patterns."""

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.float.config import FloatFormat
from ..arrays import FlagArray, IntegerArray
from .rounding import unpack

__all__ = ["compare", "maximum", "minimum"]


def compare(number_format: FloatFormat, a: ArrayLike, b: ArrayLike) -> tuple[FlagArray, FlagArray, FlagArray]:
    """``(less, equal, unordered)`` of ``a`` against ``b``, arrays of bool.

    -0 equals +0; whatever is compared with NaN is unordered, neither less nor equal.
    """
    left, right = _ordered(number_format, a), _ordered(number_format, b)
    unordered = unpack(number_format, a).nan | unpack(number_format, b).nan
    # Both zeros are one place in the order of `_ordered` apart.
    left, right = np.where(left == -1, 0, left), np.where(right == -1, 0, right)
    return (left < right) & ~unordered, (left == right) & ~unordered, unordered


def minimum(number_format: FloatFormat, a: ArrayLike, b: ArrayLike) -> IntegerArray:
    """IEEE 754-2019 ``minimum``: NaN if either is NaN; -0 is below +0."""
    return _select(number_format, a, b, np.less)


def maximum(number_format: FloatFormat, a: ArrayLike, b: ArrayLike) -> IntegerArray:
    """IEEE 754-2019 ``maximum``: NaN if either is NaN; +0 is above -0."""
    return _select(number_format, a, b, np.greater)


def _select(number_format: FloatFormat, a: ArrayLike, b: ArrayLike, relation: np.ufunc) -> IntegerArray:
    left, right = _flushed(number_format, a), _flushed(number_format, b)
    chosen = np.where(relation(_ordered(number_format, a), _ordered(number_format, b)), left, right)
    unordered = unpack(number_format, a).nan | unpack(number_format, b).nan
    return np.where(unordered, number_format.quiet_nan, chosen)


def _flushed(number_format: FloatFormat, bits: ArrayLike) -> IntegerArray:
    """The bit patterns, subnormal operands made zeros where the format says so."""
    bits = np.asarray(bits).astype(np.int64)
    return np.where(unpack(number_format, bits).zero, bits & number_format.sign_bit, bits)


def _ordered(number_format: FloatFormat, bits: ArrayLike) -> IntegerArray:
    """Integers in the order of the numbers: 0 for +0, -1 for -0."""
    bits = _flushed(number_format, bits)
    magnitude = bits & number_format.sign_bit - 1
    return np.where(bits & number_format.sign_bit != 0, ~magnitude, magnitude)
