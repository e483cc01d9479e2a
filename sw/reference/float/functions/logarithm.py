"""Natural logarithms of bit patterns."""

import numpy as np
from numpy.typing import ArrayLike

from .....hw.cores.float.config import FloatFormat
from .....hw.cores.float.functions.tables import logarithm_table, result_fraction, rounded_ln_2
from ...arrays import IntegerArray
from ..rounding import round_and_pack, unpack
from .significand import look_up, normalise, select

__all__ = ["logarithm"]


def logarithm(number_format: FloatFormat, bits: ArrayLike) -> IntegerArray:
    """``ln(a)``: -infinity for a zero, NaN for a negative number, +0 for 1."""
    number = unpack(number_format, bits)
    fraction_bits = number_format.fraction_bits
    fraction, exponent = normalise(number_format, number)
    # a = m * 2**exponent with m from 3/4 to 3/2, and ln(m) = (m - 1) * ratio.
    upper = fraction >> fraction_bits - 1
    exponent = exponent + upper
    less_one = np.where(upper == 1, fraction - (1 << fraction_bits), fraction << 1)
    ratio = look_up(logarithm_table(number_format), fraction)
    total = (exponent * rounded_ln_2(number_format) << fraction_bits) + less_one * ratio
    scale = fraction_bits + 1 + result_fraction(number_format)
    result = round_and_pack(number_format, total < 0, np.abs(total), np.full_like(total, -scale))
    return select(
        result,
        (number.infinite, number_format.infinity),
        (number.nan | number.sign, number_format.quiet_nan),
        (number.zero, number_format.infinity | number_format.sign_bit),
    )
