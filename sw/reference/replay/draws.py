"""Reference of the draws of a batch of samples."""

import numpy as np

from ....hw.cores.random.xorshift import STATE_WIDTH, SUBSTITUTE_FOR_ZERO, xorshift
from ....hw.cores.replay.config import DRAW_WIDTH

__all__ = ["DrawReference"]


class DrawReference:
    """Numbers below 2**48, as a :class:`~rewardware.hw.cores.replay.draw_generator.DrawGenerator` makes them.

    Parameters
    ----------
    state : int
        Of the generator, 64 bits, not 0.
    """

    def __init__(self, state: int = SUBSTITUTE_FOR_ZERO):
        self.state = state

    def draws(self, count: int, segment: int = 0) -> np.ndarray:
        """The next batch: uint64, shape (count,). Draw i lies in segment i; with ``segment`` 0 there are none."""
        found = []
        for number in range(count):
            self.state = xorshift(self.state)
            draw = self.state >> STATE_WIDTH - DRAW_WIDTH
            found.append((number * segment + (draw * segment >> DRAW_WIDTH)) % (1 << DRAW_WIDTH) if segment else draw)
        return np.array(found, np.uint64)
