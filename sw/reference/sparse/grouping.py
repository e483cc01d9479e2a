"""Index of the maximum of each row (column) of a grouping matrix."""

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.float.config import FloatFormat
from ..arrays import FlagArray, IntegerArray
from ..float.comparison import compare

__all__ = ["max_indexes"]


def max_indexes(number_format: FloatFormat, values: ArrayLike) -> tuple[IntegerArray, FlagArray]:
    """``(indexes, not_a_number)`` of bit patterns of shape ``(groups, features)``.

    The lowest index of equal maxima; -0 equals +0; NaN is less than everything, and flagged.
    """
    values = np.asarray(values, np.int64)
    indexes = np.zeros(values.shape[1], np.int64)
    best = values[0]
    unordered = _is_nan(number_format, values)
    for group in range(1, len(values)):
        less, _, _ = compare(number_format, best, values[group])
        better = (less | unordered[indexes, np.arange(len(indexes))]) & ~unordered[group]
        indexes = np.where(better, group, indexes)
        best = np.where(better, values[group], best)
    return indexes, np.logical_or.reduce(unordered, axis=0)


def _is_nan(number_format: FloatFormat, values: IntegerArray) -> FlagArray:
    return (values & number_format.sign_bit - 1) > number_format.infinity
