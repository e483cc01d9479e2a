"""Reference of the gradient write-back."""

from typing import Unpack

import numpy as np

from ....hw.cores.array.config import WORD_WIDTH
from ..arrays import ArrayModule, IntegerArray, IntegerOperand
from ..fixed.arithmetic import saturate
from .rescaler import Rescaling, rescale

__all__ = ["write_back_gradients"]


def write_back_gradients(
    stored: IntegerArray,
    low: IntegerOperand,
    high: IntegerOperand,
    *,
    accumulate: bool,
    xp: ArrayModule = np,
    **rescaling: Unpack[Rescaling],
) -> tuple[IntegerArray, int]:
    """``(words, saturations)``: what the gradient memory holds after sums were added to ``stored``.

    Parameters
    ----------
    stored : array
        Signed words before.
    low, high : array
        Sums over the cores.
    accumulate : bool
        Without, ``stored`` is overwritten.
    xp : module
        Array namespace, NumPy's or CuPy's.
    **rescaling
        Options of :func:`rescale`.
    """
    x, rescale_saturated = rescale(low, high, xp=xp, **rescaling)
    words, sum_saturated = saturate(stored + x if accumulate else x, WORD_WIDTH, xp=xp)
    return words, int(rescale_saturated.sum()) + int(sum_saturated.sum())
