"""Legal actions as bits of an integer, as numbers, and as a mask."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["action_bits", "action_list", "action_mask"]


def action_list(legal: int) -> list[int]:
    """The numbers of the actions whose bits are 1, in order."""
    return [action for action in range(legal.bit_length()) if legal >> action & 1]


def action_mask(legal: int, actions: int) -> NDArray[np.bool_]:
    """A mask (actions,) that is true where the bit is 1."""
    packed = np.frombuffer(legal.to_bytes(-(-actions // 8), "little"), np.uint8)
    return np.unpackbits(packed, count=actions, bitorder="little").view(np.bool_)


def action_bits(mask: NDArray[np.bool_]) -> int:
    """The integer whose bits are 1 where a mask is true."""
    return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")
