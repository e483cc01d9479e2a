"""tanh of fixed-point words."""

import numpy as np

from ....hw.cores.function.tables import TANH_FRACTION, TANH_RANGE_WIDTH, hyperbolic_tangent_table
from ..arrays import ArrayModule, IntegerArray
from .interpolated_table import InterpolatedTableReference

__all__ = ["HyperbolicTangentReference"]


class HyperbolicTangentReference:
    """Computes the results of ``HyperbolicTangent``, for arrays of int64 words.

    Parameters
    ----------
    xp : module
        Array namespace, NumPy's or CuPy's.
    """

    def __init__(self, xp: ArrayModule = np):
        self._xp = xp
        self._table = InterpolatedTableReference(hyperbolic_tangent_table(), xp)

    def __call__(self, value: IntegerArray) -> IntegerArray:
        """tanh, 20 fraction bits in and out."""
        xp, offset_width = self._xp, self._table.config.offset_width
        # Just below 8 the table gives one, so clamping to there is the rule for everything beyond.
        magnitude = xp.minimum(xp.abs(value), (1 << TANH_RANGE_WIDTH) - 1)
        size = self._table(magnitude >> offset_width, magnitude & (1 << offset_width) - 1)
        size = xp.where(xp.abs(value) >> TANH_RANGE_WIDTH > 0, 1 << TANH_FRACTION, size)
        return xp.where(value < 0, -size, size)
