"""RMSprop, in the format of the optimiser's state."""

from ....hw.soc.learninggroup.config import Rates
from ..arrays import ValueArray
from .arithmetic import Binary64

__all__ = ["rms_prop"]


def rms_prop(
    arithmetic: Binary64, weight: ValueArray, square: ValueArray, gradient: ValueArray, rates: Rates
) -> tuple[ValueArray, ValueArray]:
    """``(weight, square)`` after a step; every operation is rounded, in the order written.

        square = alpha * square + ((1 - alpha) * gradient) * gradient
        weight = weight + (-(rate * (gradient * reciprocal(sqrt(square) + epsilon))))

    ``alpha``, ``1 - alpha``, ``rate`` and ``epsilon`` are the nearest numbers of the format.
    """
    add, multiply, numbers = arithmetic.add, arithmetic.multiply, arithmetic.numbers
    fresh = multiply(multiply(numbers(1 - rates.alpha), gradient), gradient)
    square = add(multiply(numbers(rates.alpha), square), fresh)
    divisor = add(arithmetic.square_root(square), numbers(rates.epsilon))
    direction = multiply(gradient, arithmetic.reciprocal(divisor))
    return arithmetic.subtract(weight, multiply(numbers(rates.learning_rate), direction)), square
