"""The logistic function and the hyperbolic tangent of bit patterns."""

import numpy as np
from numpy.typing import ArrayLike

from .....hw.cores.float.config import FloatFormat
from .....hw.cores.float.functions.tables import logistic_table, result_fraction
from ...arrays import IntegerArray
from ..rounding import round_and_pack, unpack
from .exponential import exponent_of_two, power_of_two
from .significand import look_up, select

__all__ = ["hyperbolic_tangent", "sigmoid", "sigmoid_tanh"]


def sigmoid(number_format: FloatFormat, bits: ArrayLike) -> IntegerArray:
    """``1 / (1 + exp(-a))``."""
    return sigmoid_tanh(number_format, bits, False)


def hyperbolic_tangent(number_format: FloatFormat, bits: ArrayLike) -> IntegerArray:
    """``tanh(a)``: an odd function; a zero keeps its sign."""
    return sigmoid_tanh(number_format, bits, True)


def sigmoid_tanh(number_format: FloatFormat, bits: ArrayLike, tanh: ArrayLike) -> IntegerArray:
    """``tanh(a)`` where ``tanh`` is set, else the logistic function of ``a``."""
    number = unpack(number_format, bits)
    tanh = np.asarray(tanh, bool)
    fraction = result_fraction(number_format)
    one = 1 << fraction
    # With y = |a| log2(e), or 2 |a| log2(e): t = 2**-y is e**-|a|, or e**(-2 |a|).
    exponent, above = exponent_of_two(number_format, number, tanh)
    power, whole = power_of_two(number_format, ~exponent)
    above |= number.infinite
    t = np.where(above, 0, power >> np.minimum(-whole, 63))
    # Below y = 2: tanh(a) / a; else both functions come from 1 / (1 + t).
    small = tanh & (exponent >> fraction + 1 == 0) & ~above
    position = np.where(small, exponent >> 1 & one - 1 | one, t)
    factor = look_up(logistic_table(number_format), position)
    factor = np.where(tanh & ~small, 2 * (factor - one), factor)
    tail = ~tanh & number.sign
    scale = select(
        np.int64(one),
        (tail, power),
        (small, number.magnitude << fraction - number_format.fraction_bits),
    )
    scale_exponent = select(
        np.int64(-fraction),
        (tail, whole - fraction),
        (small, number.exponent + number_format.fraction_bits - fraction),
    )
    result = round_and_pack(number_format, number.sign & tanh, scale * factor, scale_exponent - 1 - fraction)
    return select(result, (tail & above, 0), (number.nan, number_format.quiet_nan))
