"""Reference of the softmax unit, in bit patterns."""

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.fixed.format import FixedFormat
from ....hw.cores.float.config import FloatFormat
from ....hw.cores.random.xorshift import UNIFORM_BITS
from ..arrays import IntegerArray
from ..float.arithmetic import add, multiply, negate
from ..float.comparison import compare, maximum
from ..float.conversion import from_fixed
from ..float.functions.exponential import exponential
from ..float.functions.reciprocal import reciprocal

__all__ = ["choose", "softmax"]


def softmax(number_format: FloatFormat, logits: IntegerArray) -> IntegerArray:
    """Probabilities over the first axis."""
    largest = logits[0]
    for logit in logits[1:]:
        largest = maximum(number_format, largest, logit)
    exponentials = exponential(number_format, add(number_format, logits, negate(number_format, largest)))
    total = np.zeros_like(exponentials[0])
    for term in exponentials:
        total = add(number_format, total, term)
    return multiply(number_format, exponentials, reciprocal(number_format, total))


def choose(number_format: FloatFormat, probabilities: IntegerArray, uniform: ArrayLike) -> IntegerArray:
    """How many partial sums of the probabilities, without the last, are at most ``uniform / 2048``."""
    fixed = FixedFormat(width=UNIFORM_BITS, fraction=UNIFORM_BITS, signed=False)
    threshold = from_fixed(number_format, fixed, uniform)
    total = np.zeros_like(probabilities[0])
    choice = np.zeros(total.shape, np.int64)
    for probability in probabilities[:-1]:
        total = add(number_format, total, probability)
        less, equal, _ = compare(number_format, total, threshold)
        choice += less | equal
    return choice
