"""Reference of the operand former."""

import numpy as np

__all__ = ["form_operands"]


def form_operands(words, *, half=False, zero_point=0, constant=False, enable=True, activation_fraction=20):
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
