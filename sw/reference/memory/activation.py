"""Reference of the activation memory."""

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.memory.config import ActivationMemoryConfig
from ..arrays import IntegerArray

__all__ = ["ActivationMemoryReference"]


class ActivationMemoryReference:
    """Rows of whole words, or of the codes of an even and an odd sample; unsigned words of 32 bits throughout.

    Parameters
    ----------
    config : ActivationMemoryConfig
    """

    def __init__(self, config: ActivationMemoryConfig):
        self.config = config
        # Halves (low, high) of a word; in half precision an odd lane holds the odd sample's code in its low half.
        self.halves = np.zeros((config.rows, config.lanes, 2), np.int64)

    def _half_of(self, parity: int) -> IntegerArray:
        """For each lane the half with the codes of samples of ``parity``."""
        return (np.arange(self.config.lanes) + parity) % 2

    def read_row(self, row: int, *, half: bool = False) -> IntegerArray:
        """The words of a row; in half precision the even sample's codes below the odd sample's."""
        lanes = np.arange(self.config.lanes)
        first, second = (self._half_of(0), self._half_of(1)) if half else (0, 1)
        return self.halves[row, lanes, first] | self.halves[row, lanes, second] << 16

    def read_column(self, row: int, lane: int, *, half: bool = False, parity: int = 0) -> IntegerArray:
        """Lane ``lane`` of a block of rows; in half precision the codes of lanes ``lane`` and ``lane + 1``."""
        block = self.halves[row : row + self.config.lanes]
        if half:
            return block[:, lane, parity] | block[:, lane + 1, 1 - parity] << 16
        return block[:, lane, 0] | block[:, lane, 1] << 16

    def write_row(
        self, row: int, data: ArrayLike, mask: ArrayLike = True, *, half: bool = False, parity: int = 0
    ) -> None:
        """Write words, or the codes of the sample of ``parity``, in the lanes of ``mask``."""
        data = np.asarray(data, np.int64)
        lanes = np.flatnonzero(np.broadcast_to(mask, (self.config.lanes,)))
        if half:
            self.halves[row, lanes, self._half_of(parity)[lanes]] = data[lanes] & 0xFFFF
        else:
            self.halves[row, lanes, 0] = data[lanes] & 0xFFFF
            self.halves[row, lanes, 1] = data[lanes] >> 16 & 0xFFFF
