"""Reference of RMSprop, in bit patterns."""

from numpy.typing import ArrayLike

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray
from ..float.arithmetic import add, multiply, negate
from ..float.functions.reciprocal import reciprocal
from ..float.functions.square_root import square_root

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
    fresh = multiply(number_format, multiply(number_format, one_minus_decay, gradient), gradient)
    square = add(number_format, multiply(number_format, decay, square), fresh)
    divisor = add(number_format, square_root(number_format, square), epsilon)
    direction = multiply(number_format, gradient, reciprocal(number_format, divisor))
    return add(number_format, weight, negate(number_format, multiply(number_format, learning_rate, direction))), square
