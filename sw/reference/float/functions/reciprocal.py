"""Reciprocals of bit patterns."""

from numpy.typing import ArrayLike

from .....hw.cores.float.config import FloatFormat
from .....hw.cores.float.functions.tables import reciprocal_table, result_fraction
from ...arrays import IntegerArray
from ..rounding import round_and_pack, unpack
from .significand import look_up, normalise, select

__all__ = ["reciprocal"]


def reciprocal(number_format: FloatFormat, bits: ArrayLike) -> IntegerArray:
    """``1 / a``: an infinity for a zero, a zero for an infinity, of its sign."""
    number = unpack(number_format, bits)
    fraction, exponent = normalise(number_format, number)
    half = look_up(reciprocal_table(number_format), fraction)
    result = round_and_pack(number_format, number.sign, half, -exponent - 1 - result_fraction(number_format))
    sign = number.sign * number_format.sign_bit
    return select(
        result,
        (number.zero, sign | number_format.infinity),
        (number.infinite, sign),
        (number.nan, number_format.quiet_nan),
    )
