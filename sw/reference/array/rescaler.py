"""Reference of the rescaler."""

import numpy as np

from ....hw.cores.array.config import HALF_RULE_SHIFT, HALF_WIDTH, WORD_WIDTH
from ..fixed.arithmetic import round_half_up, saturate

__all__ = ["rescale"]


def rescale(low, high, *, half_rule, select_high=False, scale=1, bias=0, bias_shift=0, shift, xp=np):
    """``(x, saturated)``: words of 32 bits from sums of 57 bits.

    Parameters
    ----------
    low, high : array of int64
        The other arguments broadcast against them.
    half_rule, select_high : bool
        Of the whole array.
    scale : int
        Unsigned, 32 bits; half rule only.
    bias, bias_shift, shift : int
    xp : module
        Array namespace, NumPy's or CuPy's.
    """
    if half_rule:
        chosen = high if select_high else low
        # In two limbs, for products within 64 bits.
        upper, lower = chosen >> HALF_RULE_SHIFT, chosen & (1 << HALF_RULE_SHIFT) - 1
        total = upper * scale + (lower * scale >> HALF_RULE_SHIFT)
    else:
        total = high + (low >> HALF_WIDTH)
    total = total + (bias << bias_shift)
    return saturate(round_half_up(total, shift), WORD_WIDTH, xp=xp)
