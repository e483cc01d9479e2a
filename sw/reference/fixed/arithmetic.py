"""Rounding, saturation and conversion of fixed-point words, vectorised; exact within 64 bits."""

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.fixed.format import FixedFormat
from ..arrays import ArrayModule, FlagArray, IntegerArray, IntegerOperand, RealArray

__all__ = ["from_words", "round_half_up", "saturate", "to_words"]


def round_half_up(value: IntegerArray, shift: IntegerOperand) -> IntegerArray:
    """``floor(value / 2**shift + 1/2)`` of integers, ``shift`` (an integer or an array) at least 1."""
    # The bit after the point is added after the shift: one more than the largest word of 64 bits would wrap.
    return (value >> shift) + ((value >> (shift - 1)) & 1)


def saturate(
    value: IntegerArray, width: int, *, is_signed: bool = True, xp: ArrayModule = np
) -> tuple[IntegerArray, FlagArray]:
    """Clamp to a word of ``width`` bits; returns the words and which of them changed."""
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if is_signed else (0, (1 << width) - 1)
    result = xp.clip(value, low, high)
    return result, result != value


def to_words(numbers: ArrayLike, number_format: FixedFormat) -> IntegerArray:
    """The nearest words (int64) to real numbers, ties going up, clamped to the range of a FixedFormat.

    Equal to ``FixedFormat.to_word`` for each element. The format must be narrower than 54 bits, so that its words
    are exact floats. Raises ValueError for NaN and infinity.
    """
    numbers = np.asarray(numbers, dtype=np.float64)
    if number_format.width > 53:
        raise ValueError(f"Width must be at most 53 to convert from floats, not {number_format.width}")
    if not np.isfinite(numbers).all():
        raise ValueError(f"Numbers must be finite, not {numbers[~np.isfinite(numbers)].flat[0]}")
    # Clamping first is what keeps the addition of a half exact enough: floor and remainder are exact.
    with np.errstate(over="ignore"):
        scaled = np.ldexp(numbers, number_format.fraction)
    scaled = np.clip(scaled, number_format.minimum, number_format.maximum)
    whole = np.floor(scaled)
    return (whole + (scaled - whole >= 0.5)).astype(np.int64)


def from_words(words: ArrayLike, number_format: FixedFormat) -> RealArray:
    """The meaning of words, as float64; exact up to 53 significant bits."""
    return np.ldexp(np.asarray(words).astype(np.float64), -number_format.fraction)
