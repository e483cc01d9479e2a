"""Reference of the draws of a batch of samples."""

import numpy as np

from ....hw.cores.random.xorshift import SUBSTITUTE_FOR_ZERO
from .kernels import make_draws

__all__ = ["DrawReference"]


class DrawReference:
    """Numbers below 2**48, as a :class:`~rewardware.hw.cores.replay.draw_generator.DrawGenerator` makes them.

    Parameters
    ----------
    state : int
        State of the generator, 64 bits, not 0.
    """

    def __init__(self, state: int = SUBSTITUTE_FOR_ZERO):
        self.state = state

    def draws(self, count: int, segment: int = 0) -> np.ndarray:
        """The next batch: uint64, shape (count,). Draw i lies in segment i; with ``segment`` 0 there are none."""
        draws, state = make_draws(np.uint64(self.state), count, np.uint64(segment))
        self.state = int(state)
        return draws
