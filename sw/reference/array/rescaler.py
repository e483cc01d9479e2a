"""Reference of the rescaler."""

from typing import Required, TypedDict

import numpy as np

from ....hw.cores.array.config import HALF_RULE_SHIFT, HALF_WIDTH, WORD_WIDTH
from ..arrays import ArrayModule, FlagArray, IntegerArray, IntegerOperand
from ..fixed.arithmetic import round_half_up, saturate

__all__ = ["Rescaling", "rescale"]


class Rescaling(TypedDict, total=False):
    """Arguments of :func:`rescale` for those who pass them on."""

    half_rule: Required[bool]
    select_high: bool
    scale: IntegerOperand
    bias: IntegerOperand
    bias_shift: IntegerOperand
    shift: Required[IntegerOperand]


def rescale(
    low: IntegerOperand,
    high: IntegerOperand,
    *,
    half_rule: bool,
    select_high: bool = False,
    scale: IntegerOperand = 1,
    bias: IntegerOperand = 0,
    bias_shift: IntegerOperand = 0,
    shift: IntegerOperand,
    xp: ArrayModule = np,
) -> tuple[IntegerArray, FlagArray]:
    """``(x, saturated)``: words of 32 bits from sums of 57 bits.

    Parameters
    ----------
    low, high : array of int64
        The other arguments broadcast against them.
    half_rule, select_high : bool
        Rules of the whole array.
    scale : int
        Unsigned, 32 bits; half rule only.
    bias, bias_shift, shift : int
    xp : module
        Array namespace, NumPy's or CuPy's.
    """
    if half_rule:
        chosen: IntegerArray = xp.asarray(high if select_high else low)
        # In two limbs, for products within 64 bits.
        upper, lower = chosen >> HALF_RULE_SHIFT, chosen & (1 << HALF_RULE_SHIFT) - 1
        total = upper * scale + (lower * scale >> HALF_RULE_SHIFT)
    else:
        total = xp.asarray(high) + (xp.asarray(low) >> HALF_WIDTH)
    total = total + (bias << bias_shift)
    return saturate(round_half_up(total, shift), WORD_WIDTH, xp=xp)
