"""Reference of the update of grouping matrices, in bit patterns."""

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray
from ..float.conversion import convert
from ..optimizer.rms_prop import rms_prop

__all__ = ["update_grouping"]


def update_grouping(
    number_format: FloatFormat,
    gradient_format: FloatFormat,
    weights: IntegerArray,
    squares: IntegerArray,
    members: ArrayLike,
    group: int,
    gradients: ArrayLike,
    *,
    base: int,
    groups: int,
    **rates: ArrayLike,
) -> tuple[IntegerArray, IntegerArray]:
    """``(weights, squares)`` after RMSprop of the entries of members of a group, rows or columns.

    Parameters
    ----------
    number_format, gradient_format : FloatFormat
    weights, squares : array (words, lanes)
        The memory of grouping matrices, and of their mean squares.
    members : array of int
        Different ones.
    group : int
    gradients : array
        The gradients of the members.
    base, groups : int
        First word of the rows, or of the core's columns; groups of the layer.
    rates
        The rates of :func:`.rms_prop`.
    """
    weights, squares = np.array(weights), np.array(squares)
    lanes = weights.shape[1]
    members = np.asarray(members)
    place = base + members // lanes * groups + group, members % lanes
    if gradient_format != number_format:
        gradients = convert(gradient_format, number_format, gradients)
    weights[place], squares[place] = rms_prop(number_format, weights[place], squares[place], gradients, **rates)
    return weights, squares
