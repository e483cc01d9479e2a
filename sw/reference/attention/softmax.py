"""Softmax over the other agents and its derivative, on values (:mod:`..float.host`)."""

from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.attention.config import AttentionConfig
from ....hw.cores.float.config import FloatFormat
from ..arrays import ValueArray
from ..float.conversion import from_numbers
from ..float.functions.host import exponential, reciprocal
from ..float.host import add, from_bits, maximum, multiply, subtract

__all__ = ["shares", "softmax", "softmax_derivative"]


def shares(number_format: FloatFormat, scores: ValueArray, present: NDArray[np.bool_] | None = None) -> ValueArray:
    """Softmax along the last axis: ``e = exp(s - the largest s);  e * reciprocal((e_0 + e_1) + ...)``.

    A score that is not ``present`` is never the largest and has no share.
    """
    columns = _columns(scores)
    if present is not None:
        columns = _columns(np.where(present, scores, scores.dtype.type(-np.inf)))
    largest = reduce(partial(maximum, number_format), columns)
    differences = subtract(number_format, scores, largest[..., None])
    powers = exponential(number_format, differences)
    if present is not None:
        powers = np.where(present, powers, powers.dtype.type(0))
    factor = reciprocal(number_format, _total(number_format, powers))
    return multiply(number_format, powers, factor[..., None])


def softmax(config: AttentionConfig, scores: ValueArray) -> ValueArray:
    """Weights of scores ``(..., agents - 1)``: the shares of ``score * scale``."""
    number_format = config.arithmetic.format
    return shares(number_format, multiply(number_format, scores, _scale(config)))


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
