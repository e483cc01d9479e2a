"""Reference of the unaligned memory."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....hw.cores.memory.config import UnalignedConfig

__all__ = ["UnalignedMemoryReference"]


class UnalignedMemoryReference:
    """Unsigned words one after the other, the first after the last.

    Parameters
    ----------
    config : UnalignedConfig
    """

    def __init__(self, config: UnalignedConfig):
        self.config = config
        kind: type[np.integer] = np.int64 if config.width < 64 else np.uint64
        self.words: NDArray[np.integer] = np.zeros(config.rows * config.lanes, kind)

    def read(self, row: int, lane: int) -> NDArray[np.integer]:
        """``lanes`` words from a place on."""
        return self.words[self._numbers(row, lane)]

    def write(self, row: int, lane: int, data: ArrayLike, mask: ArrayLike = True) -> None:
        """Write ``lanes`` words from a place on where ``mask`` says so."""
        numbers = self._numbers(row, lane)
        self.words[numbers] = np.where(mask, data, self.words[numbers])

    def _numbers(self, row: int, lane: int) -> NDArray[np.int64]:
        first = int(row) * self.config.lanes + int(lane)
        return (first + np.arange(self.config.lanes)) % len(self.words)
