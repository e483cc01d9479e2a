"""The functions of the units on values (:mod:`..float.host`): compiled in binary32, by bit patterns otherwise."""

import numpy as np

from ....hw.cores.float.config import BINARY32, FloatFormat
from ..arrays import ValueArray
from ..attention import softmax
from ..float.conversion import from_numbers
from ..float.functions import compiled
from ..float.functions.logarithm import logarithm as logarithm_of_bits
from ..float.host import add, from_bits, multiply, subtract, to_bits

__all__ = ["is_compiled", "logarithm", "nearest", "shares"]


def is_compiled(number_format: FloatFormat, *arrays: ValueArray) -> bool:
    """Whether the numbers are the host's own."""
    return number_format == BINARY32 and all(array.dtype == np.float32 for array in arrays)


def nearest(number_format: FloatFormat, number: float) -> ValueArray:
    """The number of the format that is nearest to a real one."""
    if number_format == BINARY32:
        return np.asarray(number, np.float32)
    return from_bits(number_format, from_numbers(number_format, number).reshape(()))


def logarithm(number_format: FloatFormat, values: ValueArray) -> ValueArray:
    """Natural logarithms."""
    if is_compiled(number_format, values):
        return compiled.logarithm(values)
    return from_bits(number_format, logarithm_of_bits(number_format, to_bits(number_format, values)))


def shares(number_format: FloatFormat, scores: ValueArray) -> ValueArray:
    """As :func:`..attention.softmax.shares`, of a vector."""
    if not is_compiled(number_format, scores):
        return softmax.shares(number_format, scores[None])[0]
    # Which zero is the largest makes no difference: both exponentials are 1.
    powers = compiled.exponential(subtract(number_format, scores, scores.max()))
    total = powers[0]
    for power in powers[1:]:
        total = add(number_format, total, power)
    return multiply(number_format, powers, compiled.reciprocal(total))
