"""A function from a table of polynomials."""

import numpy as np

from ....hw.cores.function.polynomial import PolynomialTable
from ..arrays import IntegerArray

__all__ = ["PolynomialTableReference"]


class PolynomialTableReference:
    """Computes the results of ``PolynomialEvaluator``, for arrays of int64.

    Parameters
    ----------
    config : PolynomialTable
    """

    def __init__(self, config: PolynomialTable):
        self.config = config
        self._columns = [np.array(column, np.int64) for column in zip(*config.coefficients, strict=True)]

    def __call__(self, index: IntegerArray, offset: IntegerArray) -> IntegerArray:
        """The function at position ``offset`` of interval ``index``."""
        *lower, result = (column[index] for column in self._columns)
        for value in reversed(lower):
            result = value + (result * offset >> self.config.offset_width)
        return result
