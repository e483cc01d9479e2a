"""e to the power of bit patterns."""

import numpy as np
from numpy.typing import ArrayLike

from .....hw.cores.float.config import FloatFormat
from .....hw.cores.float.functions.tables import (
    exponent_width,
    exponential_table,
    log2_e_fraction,
    result_fraction,
    rounded_log2_e,
)
from ...arrays import FlagArray, IntegerArray
from ..rounding import Unpacked, round_and_pack, unpack
from .significand import look_up, select

__all__ = ["exponential", "exponent_of_two", "power_of_two"]


def exponential(number_format: FloatFormat, bits: ArrayLike) -> IntegerArray:
    """``e**a``: 0 for -infinity, infinity for +infinity."""
    number = unpack(number_format, bits)
    exponent, above = exponent_of_two(number_format, number)
    # The complement is less by one unit: what was cut from the exponent is thus made up for.
    power, whole = power_of_two(number_format, np.where(number.sign, ~exponent, exponent))
    positive = np.zeros_like(number.sign)
    result = round_and_pack(number_format, positive, power, whole - result_fraction(number_format))
    limit = np.where(number.sign, 0, number_format.infinity)
    return select(result, (above | number.infinite, limit), (number.nan, number_format.quiet_nan))


def exponent_of_two(
    number_format: FloatFormat, number: Unpacked, doubled: bool | FlagArray = False
) -> tuple[IntegerArray, FlagArray]:
    """``(exponent, above)``: ``|a| log2(e)`` in fixed point, of ``2 |a|`` where ``doubled``; or too large for that."""
    exponent = number.exponent + doubled
    # Below 2**(exponent_width - 1), so that log2(e) times it stays below 2**exponent_width.
    above = exponent + number_format.fraction_bits > exponent_width(number_format) - 2
    product = number.magnitude * rounded_log2_e(number_format)
    right = log2_e_fraction(number_format) - result_fraction(number_format) - exponent
    return product >> np.clip(right, 0, 63), above


def power_of_two(number_format: FloatFormat, exponent: IntegerArray) -> tuple[IntegerArray, IntegerArray]:
    """``(power, whole)``: 2 to a fixed-point exponent is ``power * 2**whole``, ``power`` in fixed point from 1 to 2."""
    fraction = result_fraction(number_format)
    return look_up(exponential_table(number_format), exponent & (1 << fraction) - 1), exponent >> fraction
