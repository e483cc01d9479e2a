"""Reference of the memories: what every read port shows in every cycle."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....hw.cores.memory.config import MemoryConfig

__all__ = ["MemoryReference"]

# The lanes of a row; None where nothing is defined.
Lanes = NDArray[np.uint64] | None

# Row, lanes (truth values) and the words of all lanes.
Write = tuple[int, ArrayLike, ArrayLike]


class MemoryReference:
    """Rows of unsigned lanes with one write port, stepped cycle by cycle.

    Parameters
    ----------
    config : MemoryConfig
    init : sequence of int
        The first rows, of a single lane; zeros after them.
    """

    def __init__(self, config: MemoryConfig, init: Sequence[int] = ()):
        self.config = config
        self.rows = np.zeros((config.depth, config.lanes), np.uint64)
        self.rows[: len(init), 0] = init
        # The data that each port read last, its place, and the results of the reads before.
        self._found: list[Lanes] = [None] * config.readers
        self._shown: list[Lanes] = [None] * config.readers
        self._under_way: list[int | None] = [None] * config.readers

    def step(self, reads: Sequence[int | None], write: Write | None = None) -> list[Lanes]:
        """One cycle.

        Parameters
        ----------
        reads : sequence of int or None
            Row that each port reads; None where it reads nothing.
        write : tuple or None
            Row, lanes (truth values) and the words of all lanes.

        Returns
        -------
        list
            The lanes on each port's ``data``; None while nothing was read, or where the hazard rule defines nothing.
        """
        config = self.config
        if config.latency == 0:
            shown = [None if row is None else self.rows[row].copy() for row in reads]
            self._write(write)
            return shown
        shown = list(self._shown if config.latency == 2 else self._found)
        before = self.rows.copy()
        self._write(write)
        if config.latency == 2:
            if config.hazard == "forward":
                for port, row in enumerate(self._under_way):
                    if row is not None:
                        self._found[port] = self.rows[row].copy()
            self._shown, self._under_way = list(self._found), list(reads)
        for port, row in enumerate(reads):
            if row is not None:
                meets = write is not None and write[0] == row and np.any(write[1])
                source = self.rows if config.hazard == "forward" else before
                self._found[port] = None if meets and config.hazard == "never" else source[row].copy()
        return shown

    def _write(self, write: Write | None) -> None:
        if write is not None:
            row, lanes, words = write
            self.rows[row] = np.where(np.asarray(lanes, bool), words, self.rows[row])
