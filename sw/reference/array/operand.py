"""Reference of the operand former."""

from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import FlagOperand, IntegerArray, IntegerOperand

__all__ = ["OperandOptions", "form_operands"]


class OperandOptions(TypedDict, total=False):
    """Arguments of :func:`form_operands` that may differ from word to word."""

    half: FlagOperand
    zero_point: IntegerOperand
    constant: FlagOperand
    enable: FlagOperand


def form_operands(
    words: ArrayLike,
    *,
    half: FlagOperand = False,
    zero_point: IntegerOperand = 0,
    constant: FlagOperand = False,
    enable: FlagOperand = True,
    activation_fraction: int = 20,
) -> tuple[IntegerArray, IntegerArray]:
    """``(low, high)``, the operands of streamed words.

    Parameters
    ----------
    words : array
        Signed or unsigned words of 32 bits. The other arguments broadcast against it.
    half : bool
        The word holds two codes.
    zero_point : int
    constant : bool
        The word is one instead.
    enable : bool
        Without, both operands are zero.
    activation_fraction : int
    """
    words = np.asarray(words, np.int64)
    first = words & 0xFFFF
    second = (words >> 16) & 0xFFFF
    signed_second = second - ((second & 0x8000) << 1)
    low = np.where(half, first - zero_point, first)
    high = np.where(half, second - zero_point, signed_second)
    low = np.where(constant, 0, low)
    high = np.where(constant, 1 << (activation_fraction - 16), high)
    return np.where(enable, low, 0), np.where(enable, high, 0)
