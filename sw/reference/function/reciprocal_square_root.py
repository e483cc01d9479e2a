"""Reciprocal square roots of 64-bit integers."""

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.function.tables import (
    RECIPROCAL_ROOT_INDEX_WIDTH,
    RECIPROCAL_ROOT_OFFSET_WIDTH,
    reciprocal_square_root_table,
)
from ..arrays import ArrayModule, IntegerArray
from .interpolated_table import InterpolatedTableReference

__all__ = ["ReciprocalSquareRootReference"]

# The bits of the normalised argument that matter: index and offset.
_USED_BITS = RECIPROCAL_ROOT_INDEX_WIDTH + RECIPROCAL_ROOT_OFFSET_WIDTH


class ReciprocalSquareRootReference:
    """Computes the results of ``ReciprocalSquareRoot``, for arrays of integers.

    Parameters
    ----------
    xp : module
        Array namespace, NumPy's or CuPy's.
    """

    def __init__(self, xp: ArrayModule = np):
        self._xp = xp
        self._table = InterpolatedTableReference(reciprocal_square_root_table(), xp)

    def __call__(self, value: NDArray[np.uint64]) -> tuple[IntegerArray, IntegerArray]:
        """Mantissas and half exponents (int64) of ``value``, an array of uint64, at least 1."""
        xp = self._xp
        # The exponent of a float, 1023 more than the position p of the leading one. Clearing the bit below that one
        # keeps the conversion from rounding up to the next power of two.
        half_exponent = (value & ~(value >> np.uint64(1))).astype(xp.float64).view(xp.int64)
        # (64 - k) / 2 = (p >> 1) + 1, from the exponent in the bits from 52 on.
        half_exponent += 1 << 52
        half_exponent >>= 53
        half_exponent -= 511
        shift = half_exponent * -2
        shift += 64
        top = value << shift.view(xp.uint64)
        top >>= np.uint64(64 - _USED_BITS)
        top = top.view(xp.int64)
        index = top >> RECIPROCAL_ROOT_OFFSET_WIDTH
        index -= 1 << RECIPROCAL_ROOT_INDEX_WIDTH - 2
        top &= (1 << RECIPROCAL_ROOT_OFFSET_WIDTH) - 1
        return self._table(index, top), half_exponent
