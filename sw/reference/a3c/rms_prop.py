"""RMSProp's step on values (:mod:`..float.host`), its mean squares as bit patterns."""

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray, ValueArray
from ..float.functions import compiled
from ..float.host import add, from_bits, multiply, subtract, to_bits
from ..optimizer.rms_prop import rms_prop as rms_prop_of_bits
from .functions import is_compiled, nearest

__all__ = ["rms_prop"]


def rms_prop(
    number_format: FloatFormat, weights: ValueArray, squares: IntegerArray, gradients: ValueArray, **rates: float
) -> tuple[ValueArray, IntegerArray]:
    """Weights and mean squares after a step, as :func:`..optimizer.rms_prop.rms_prop` has them.

    Parameters
    ----------
    number_format : FloatFormat
    weights, gradients : array of values
    squares : array of bit patterns
    **rates : float
        decay, one_minus_decay, learning_rate, epsilon; the nearest numbers of the format count.
    """
    values = {name: nearest(number_format, number) for name, number in rates.items()}
    if not is_compiled(number_format, weights, gradients):
        constants = {name: to_bits(number_format, value) for name, value in values.items()}
        new_weights, new_squares = rms_prop_of_bits(
            number_format, to_bits(number_format, weights), squares, to_bits(number_format, gradients), **constants
        )
        return from_bits(number_format, new_weights), new_squares
    fresh = multiply(number_format, multiply(number_format, values["one_minus_decay"], gradients), gradients)
    square = add(number_format, multiply(number_format, values["decay"], from_bits(number_format, squares)), fresh)
    divisor = add(number_format, compiled.square_root(square), values["epsilon"])
    direction = multiply(number_format, gradients, compiled.reciprocal(divisor))
    change = multiply(number_format, values["learning_rate"], direction)
    return subtract(number_format, weights, change), to_bits(number_format, square)
