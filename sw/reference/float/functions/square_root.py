"""Square roots of bit patterns, and their reciprocals."""

from numpy.typing import ArrayLike

from .....hw.cores.float.config import FloatFormat
from .....hw.cores.float.functions.tables import reciprocal_square_root_table, result_fraction, square_root_table
from ...arrays import IntegerArray
from ..rounding import round_and_pack, unpack
from .significand import look_up, normalise, select

__all__ = ["reciprocal_square_root", "square_root"]


def square_root(number_format: FloatFormat, bits: ArrayLike) -> IntegerArray:
    """``sqrt(a)``: NaN for a negative number, but a zero of its sign for a zero."""
    number = unpack(number_format, bits)
    fraction, exponent = normalise(number_format, number)
    position = fraction | (exponent & 1) << number_format.fraction_bits
    root = look_up(square_root_table(number_format), position)
    result = round_and_pack(number_format, number.sign, root, (exponent >> 1) - result_fraction(number_format))
    return select(
        result,
        (number.infinite, number_format.infinity),
        (number.nan | number.sign, number_format.quiet_nan),
        (number.zero, number.sign * number_format.sign_bit),
    )


def reciprocal_square_root(number_format: FloatFormat, bits: ArrayLike) -> IntegerArray:
    """``1 / sqrt(a)``: NaN for a negative number, but an infinity of its sign for a zero."""
    number = unpack(number_format, bits)
    fraction, exponent = normalise(number_format, number)
    position = fraction | (exponent & 1) << number_format.fraction_bits
    root = look_up(reciprocal_square_root_table(number_format), position)
    result = round_and_pack(number_format, number.sign, root, -(exponent >> 1) - 1 - result_fraction(number_format))
    return select(
        result,
        (number.infinite, 0),
        (number.nan | number.sign, number_format.quiet_nan),
        (number.zero, number.sign * number_format.sign_bit | number_format.infinity),
    )
