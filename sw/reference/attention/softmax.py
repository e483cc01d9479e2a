"""Softmax over the other agents and its derivative, on values (:mod:`..float.host`)."""

from functools import partial, reduce

import numpy as np

from ....hw.cores.attention.config import AttentionConfig
from ....hw.cores.float.config import FloatFormat
from ..arrays import ValueArray
from ..float.conversion import from_numbers
from ..float.functions.exponential import exponential
from ..float.functions.reciprocal import reciprocal
from ..float.host import add, from_bits, maximum, multiply, subtract, to_bits

__all__ = ["softmax", "softmax_derivative"]


def softmax(config: AttentionConfig, scores: ValueArray) -> ValueArray:
    """Weights of scores ``(..., agents - 1)``::

    s = score * scale;  e = exp(s - the largest s);  w = e * reciprocal((e_0 + e_1) + ...)
    """
    number_format = config.arithmetic.format
    scaled = multiply(number_format, scores, _scale(config))
    largest = reduce(partial(maximum, number_format), _columns(scaled))
    differences = subtract(number_format, scaled, largest[..., None])
    powers = from_bits(number_format, exponential(number_format, to_bits(number_format, differences)))
    total = _total(number_format, powers)
    factor = from_bits(number_format, reciprocal(number_format, to_bits(number_format, total)))
    return multiply(number_format, powers, factor[..., None])


def softmax_derivative(config: AttentionConfig, weights: ValueArray, errors: ValueArray) -> ValueArray:
    """Errors at scores of errors d at weights w::

    t = (w_0 * d_0 + w_1 * d_1) + ...;  result_j = (w_j * (d_j - t)) * scale
    """
    number_format = config.arithmetic.format
    total = _total(number_format, multiply(number_format, weights, errors))
    differences = subtract(number_format, errors, total[..., None])
    return multiply(number_format, multiply(number_format, weights, differences), _scale(config))


def _scale(config: AttentionConfig) -> ValueArray:
    return from_bits(config.arithmetic.format, from_numbers(config.arithmetic.format, config.scale))


def _columns(numbers: ValueArray) -> list[ValueArray]:
    return list(np.moveaxis(numbers, -1, 0))


def _total(number_format: FloatFormat, numbers: ValueArray) -> ValueArray:
    return reduce(partial(add, number_format), _columns(numbers))
