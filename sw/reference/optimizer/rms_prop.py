"""Reference of RMSprop, in bit patterns."""

from numpy.typing import ArrayLike

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray
from ..float.functions.host import reciprocal, square_root
from ..float.host import add, from_bits, multiply, subtract, to_bits

__all__ = ["rms_prop"]


def rms_prop(
    number_format: FloatFormat,
    weight: ArrayLike,
    square: ArrayLike,
    gradient: ArrayLike,
    *,
    decay: ArrayLike,
    one_minus_decay: ArrayLike,
    learning_rate: ArrayLike,
    epsilon: ArrayLike,
) -> tuple[IntegerArray, IntegerArray]:
    """``(weight, square)`` after a step."""
    w, mean, slope = (from_bits(number_format, bits) for bits in (weight, square, gradient))
    kept, rest, rate, least = (
        from_bits(number_format, bits) for bits in (decay, one_minus_decay, learning_rate, epsilon)
    )
    fresh = multiply(number_format, multiply(number_format, rest, slope), slope)
    mean = add(number_format, multiply(number_format, kept, mean), fresh)
    divisor = add(number_format, square_root(number_format, mean), least)
    direction = multiply(number_format, slope, reciprocal(number_format, divisor))
    w = subtract(number_format, w, multiply(number_format, rate, direction))
    return to_bits(number_format, w), to_bits(number_format, mean)
