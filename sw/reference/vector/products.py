"""Reference of the matrix products: plain sums, one term after the other, whatever the hardware packs together.

All numbers are bit patterns (integer arrays). Groups are given as arrays: the group of each row and of each column.
"""

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray
from ..float.arithmetic import add, multiply

__all__ = ["accumulate", "backward", "forward", "reduce_blocks", "reduce_lanes", "weight_gradient"]


def accumulate(number_format: FloatFormat, left: ArrayLike, right: ArrayLike) -> IntegerArray:
    """``((0 + left_0 * right_0) + left_1 * right_1) + ...`` along the first axis; the others broadcast."""
    left, right = np.asarray(left), np.asarray(right)
    total = np.zeros(np.broadcast_shapes(left.shape[1:], right.shape[1:]), np.int64)
    for one, other in zip(left, right, strict=True):
        total = add(number_format, total, multiply(number_format, one, other))
    return total


def forward(
    number_format: FloatFormat,
    operands: ArrayLike,
    weights: ArrayLike,
    row_groups: ArrayLike,
    column_groups: ArrayLike,
) -> IntegerArray:
    """``z[column, ...]``: the sum of ``operands[row, ...] * weights[row, column]`` over rows of the column's group."""
    operands, weights = np.asarray(operands), np.asarray(weights)
    row_groups, column_groups = np.asarray(row_groups), np.asarray(column_groups)
    result = np.zeros((weights.shape[1], *operands.shape[1:]), np.int64)
    for group in np.unique(column_groups):
        rows, columns = np.flatnonzero(row_groups == group), np.flatnonzero(column_groups == group)
        factors = weights[np.ix_(rows, columns)]
        factors = factors.reshape(*factors.shape, *(1,) * (operands.ndim - 1))
        result[columns] = accumulate(number_format, operands[rows][:, None], factors)
    return result


def backward(
    number_format: FloatFormat, errors: ArrayLike, weights: ArrayLike, row_groups: ArrayLike, column_groups: ArrayLike
) -> IntegerArray:
    """``p[row, ...]``: as :func:`forward` with the matrix transposed."""
    return forward(number_format, errors, np.asarray(weights).T, column_groups, row_groups)


def weight_gradient(
    number_format: FloatFormat,
    operands: ArrayLike,
    errors: ArrayLike,
    row_groups: ArrayLike,
    column_groups: ArrayLike,
) -> IntegerArray:
    """``dW[row, column]`` of ``operands[k, row, block, lane]``, ``errors[k, column, block, lane]``; 0 where masked."""
    operands, errors = np.asarray(operands), np.asarray(errors)
    row_groups, column_groups = np.asarray(row_groups), np.asarray(column_groups)
    result = np.zeros((operands.shape[1], errors.shape[1]), np.int64)
    for group in np.intersect1d(row_groups, column_groups):
        rows, columns = np.flatnonzero(row_groups == group), np.flatnonzero(column_groups == group)
        sums = accumulate(number_format, operands[:, rows][:, :, None], errors[:, columns][:, None])
        result[np.ix_(rows, columns)] = reduce_blocks(number_format, reduce_lanes(number_format, sums))
    return result


def reduce_lanes(number_format: FloatFormat, values: IntegerArray) -> IntegerArray:
    """The sum over the last axis, a power of two long, neighbours first: ``((a0 + a1) + (a2 + a3)) + ...``"""
    while values.shape[-1] > 1:
        values = add(number_format, values[..., 0::2], values[..., 1::2])
    return values[..., 0]


def reduce_blocks(number_format: FloatFormat, values: IntegerArray) -> IntegerArray:
    """The sum over 1, 2 or 4 blocks, in the same manner."""
    return reduce_lanes(number_format, values)
