"""Reference of the transposable memory."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....hw.cores.memory.config import TransposableConfig

__all__ = ["TransposableMemoryReference"]


class TransposableMemoryReference:
    """Rows of unsigned words, accessed by row or by column of an aligned block.

    Parameters
    ----------
    config : TransposableConfig
    """

    def __init__(self, config: TransposableConfig):
        self.config = config
        kind: type[np.integer] = np.int64 if config.width < 64 else np.uint64
        self.words: NDArray[np.integer] = np.zeros((config.rows, config.lanes), kind)

    def read_row(self, row: int) -> NDArray[np.integer]:
        """The lanes of a row."""
        return self.words[row].copy()

    def read_column(self, row: int, lane: int) -> NDArray[np.integer]:
        """Lane ``lane`` of the block of rows at ``row``."""
        return self.words[row : row + self.config.lanes, lane].copy()

    def write_row(self, row: int, data: ArrayLike, mask: ArrayLike = True) -> None:
        """Write the lanes of a row where ``mask`` says so."""
        target = self.words[row]
        target[...] = np.where(mask, data, target)

    def write_column(self, row: int, lane: int, data: ArrayLike, mask: ArrayLike = True) -> None:
        """Write a lane of the block of rows at ``row`` where ``mask`` says so."""
        target = self.words[row : row + self.config.lanes, lane]
        target[...] = np.where(mask, data, target)
