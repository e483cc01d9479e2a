"""Reference of the accumulators."""

import numpy as np

from ....hw.cores.array.config import ACCUMULATOR_WIDTH, ArrayConfig
from ..arrays import IntegerArray

__all__ = ["AccumulatorBankReference"]


class AccumulatorBankReference:
    """Two buffers of accumulators; ``sums[buffer, index]`` is the pair of rows (low, high).

    Parameters
    ----------
    config : ArrayConfig
    """

    def __init__(self, config: ArrayConfig):
        self.sums = np.zeros((2, config.accumulator_depth, 2, config.lanes), np.int64)

    def add(self, buffer: int, index: int, low: IntegerArray, high: IntegerArray, *, first: bool) -> None:
        """Add to an entry, or with ``first`` overwrite it; wraps at 57 bits."""
        entry = self.sums[buffer, index]
        total = np.stack([low, high]) + (0 if first else entry)
        unused = 64 - ACCUMULATOR_WIDTH
        entry[...] = total << unused >> unused

    def drain(self, buffer: int, index: int) -> tuple[IntegerArray, IntegerArray]:
        """``(low, high)`` of an entry."""
        low, high = self.sums[buffer, index]
        return low.copy(), high.copy()
