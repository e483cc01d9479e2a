"""A function from a table, linear between its nodes."""

import numpy as np

from ....hw.cores.function.tables import InterpolationTable
from ..arrays import ArrayModule, IntegerArray

__all__ = ["InterpolatedTableReference"]


class InterpolatedTableReference:
    """Computes the results of ``InterpolatedTable``, for arrays of int64.

    Parameters
    ----------
    config : InterpolationTable
    xp : module
        Array namespace, NumPy's or CuPy's.
    """

    def __init__(self, config: InterpolationTable, xp: ArrayModule = np):
        self.config = config
        # The final rounding adds half of what it drops: that is put into the bases.
        half = 1 << config.shift - 1
        self._bases = xp.asarray([(base << config.offset_width) + half for base in config.bases], dtype=xp.int64)
        self._differences = xp.asarray(config.differences, dtype=xp.int64)

    def __call__(self, index: IntegerArray, offset: IntegerArray) -> IntegerArray:
        """The function at position ``offset`` of interval ``index``."""
        result = self._differences[index]
        result *= offset
        result += self._bases[index]
        result >>= self.config.shift
        return result
