"""Parts that the functions share: normalised operands, table look-up, and special results."""

import functools

import numpy as np

from .....hw.cores.float.config import FloatFormat
from .....hw.cores.function.polynomial import PolynomialTable
from ...arrays import FlagArray, IntegerArray, IntegerOperand
from ...function.polynomial_table import PolynomialTableReference
from ..rounding import Unpacked, bit_length

__all__ = ["look_up", "normalise", "select"]

_reference = functools.cache(PolynomialTableReference)


def normalise(number_format: FloatFormat, number: Unpacked) -> tuple[IntegerArray, IntegerArray]:
    """``(fraction, exponent)``: the number is ``(1 + fraction / 2**fraction_bits) * 2**exponent``, if not zero."""
    fraction_bits = number_format.fraction_bits
    missing = np.where(number.zero, 0, fraction_bits + 1 - bit_length(number.magnitude))
    fraction = (number.magnitude << missing) & (1 << fraction_bits) - 1
    return fraction, number.exponent + fraction_bits - missing


def look_up(table: PolynomialTable, position: IntegerArray) -> IntegerArray:
    """A table at positions, from the interval's number and the offset within it in one integer."""
    offset_width = table.offset_width
    return _reference(table)(position >> offset_width, position & (1 << offset_width) - 1)


def select(default: IntegerOperand, *cases: tuple[FlagArray, IntegerOperand]) -> IntegerArray:
    """The value of the last case that holds, of pairs ``(condition, value)``."""
    result = np.asarray(default, np.int64)
    for condition, value in cases:
        result = np.where(condition, value, result)
    return result
