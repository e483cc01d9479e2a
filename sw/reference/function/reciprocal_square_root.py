"""Reciprocal square roots of 64-bit integers."""

import numpy as np

from ....hw.cores.function.tables import (
    RECIPROCAL_ROOT_INDEX_WIDTH,
    RECIPROCAL_ROOT_OFFSET_WIDTH,
    reciprocal_square_root_table,
)
from .interpolated_table import InterpolatedTableReference

__all__ = ["ReciprocalSquareRootReference"]

_EXPONENT_OF_FLOAT = 52
_BIAS_OF_FLOAT = 1023
# Of the normalised argument, the bits that matter: index and offset.
_USED_BITS = RECIPROCAL_ROOT_INDEX_WIDTH + RECIPROCAL_ROOT_OFFSET_WIDTH


class ReciprocalSquareRootReference:
    """What ``ReciprocalSquareRoot`` computes, for arrays of integers.

    Parameters
    ----------
    xp : module
        Array namespace, NumPy's or CuPy's.
    """

    def __init__(self, xp=np):
        self._xp = xp
        self._table = InterpolatedTableReference(reciprocal_square_root_table(), xp)

    def __call__(self, value):
        """Mantissas and half exponents (int64) of ``value``, an array of uint64, at least 1."""
        xp = self._xp
        # Clearing the bit below the leading one keeps the conversion from rounding up to the next power of two.
        leading = (value & ~(value >> np.uint64(1))).astype(xp.float64).view(xp.int64)
        leading >>= _EXPONENT_OF_FLOAT
        leading -= _BIAS_OF_FLOAT
        # 64 - k, k even: 2 for a leading one at bit 0 or 1, 64 for one at bit 62 or 63.
        half_exponent = (leading >> 1) + 1
        shift = 64 - 2 * half_exponent
        top = ((value << shift.view(xp.uint64)) >> np.uint64(64 - _USED_BITS)).view(xp.int64)
        index = (top >> RECIPROCAL_ROOT_OFFSET_WIDTH) - (1 << RECIPROCAL_ROOT_INDEX_WIDTH - 2)
        return self._table(index, top & (1 << RECIPROCAL_ROOT_OFFSET_WIDTH) - 1), half_exponent
