"""Reference of stochastic gradient descent, in bit patterns."""

from numpy.typing import ArrayLike

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray
from ..float.arithmetic import add, multiply, negate

__all__ = ["sgd"]


def sgd(number_format: FloatFormat, weight: ArrayLike, gradient: ArrayLike, learning_rate: ArrayLike) -> IntegerArray:
    """``weight + (-(learning_rate * gradient))``, each operation rounded."""
    return add(number_format, weight, negate(number_format, multiply(number_format, learning_rate, gradient)))
