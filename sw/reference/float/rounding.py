"""Bit patterns apart and together again: the one rounding that every floating-point operation ends with.

A number in between is a sign, a magnitude (int64, below 2**63) and the exponent of the magnitude's last bit. Where bits
were cut, the last bit is set instead (it is *sticky*): as long as it lies two or more places below the last bit of the
result, the result is rounded as the exact number would be.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.float.config import FloatFormat
from ..arrays import FlagArray, IntegerArray

__all__ = ["Unpacked", "bit_length", "round_and_pack", "shift_right_sticky", "unpack"]

_TOP = 62  # position of the leading one for rounding


@dataclass
class Unpacked:
    """Operands apart; ``magnitude * 2**exponent`` is what the finite ones mean.

    Parameters
    ----------
    sign, zero, infinite, nan : array of bool
    magnitude, exponent : array of int64
    """

    sign: FlagArray
    magnitude: IntegerArray
    exponent: IntegerArray
    zero: FlagArray
    infinite: FlagArray
    nan: FlagArray


def unpack(number_format: FloatFormat, bits: ArrayLike) -> Unpacked:
    """Bit patterns (any integers) apart; subnormal operands are zeros where the format flushes them."""
    bits = np.asarray(bits).astype(np.int64)
    fraction_bits = number_format.fraction_bits
    fraction = bits & (1 << fraction_bits) - 1
    field = bits >> fraction_bits & number_format.exponent_ones
    if not number_format.gradual:
        fraction = np.where(field == 0, 0, fraction)
    special = field == number_format.exponent_ones
    magnitude = np.where(field == 0, fraction, fraction | 1 << fraction_bits)
    return Unpacked(
        sign=(bits >> number_format.width - 1 & 1).astype(bool),
        magnitude=magnitude,
        exponent=np.maximum(field, 1) - number_format.bias - fraction_bits,
        zero=magnitude == 0,
        infinite=special & (fraction == 0),
        nan=special & (fraction != 0),
    )


def bit_length(magnitude: IntegerArray) -> IntegerArray:
    """How many bits integers from 0 to 2**63 - 1 have without their leading zeros."""
    # Without the bit after the leading one, float64 does not round up to the next power of two.
    return np.frexp((magnitude & ~(magnitude >> 1)).astype(np.float64))[1].astype(np.int64)


def shift_right_sticky(magnitude: IntegerArray, distance: IntegerArray) -> IntegerArray:
    """``magnitude >> distance``, the last bit set if ones were cut."""
    distance = np.clip(distance, 0, 63)
    kept = magnitude >> distance
    return kept | (kept << distance != magnitude)


def round_and_pack(
    number_format: FloatFormat, sign: FlagArray, magnitude: IntegerArray, exponent: IntegerArray
) -> IntegerArray:
    """The bit patterns (int64) nearest to ``(-1)**sign * magnitude * 2**exponent``, ties to even.

    Too large becomes infinity, below the smallest normal number gradual or zero, as the format says.

    Parameters
    ----------
    number_format : FloatFormat
    sign : array of bool
    magnitude : array of int64
        0 to 2**63 - 1; the last bit may be sticky.
    exponent : array of int64
        Exponent of the magnitude's last bit.
    """
    length = bit_length(magnitude)
    normalised = magnitude << np.maximum(_TOP + 1 - length, 0)
    # The field before rounding; below 1 the number is subnormal, of the exponent of field 1.
    field = exponent + length - 1 + number_format.bias
    normalised = shift_right_sticky(normalised, np.maximum(1 - field, 0))
    cut = _TOP - number_format.fraction_bits
    kept, rest, half = normalised >> cut, normalised & (1 << cut) - 1, 1 << cut - 1
    kept += (rest > half) | (rest == half) & (kept & 1 == 1)
    # A leading one, and a carry of the rounding, counts the exponent field up by itself.
    packed = kept + (np.maximum(field - 1, 0) << number_format.fraction_bits)
    packed = np.minimum(packed, number_format.infinity)
    if not number_format.gradual:
        packed = np.where(field < 1, 0, packed)
    packed = np.where(magnitude == 0, 0, packed)
    return packed | sign.astype(np.int64) << number_format.width - 1
