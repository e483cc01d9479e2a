"""Rows of Gaussian noise."""

import numpy as np

from ....hw.cores.random.config import GaussianConfig
from ....hw.cores.random.xorshift import SUBSTITUTE_FOR_ZERO, advance, xorshift
from ..arrays import IntegerArray
from ..fixed.arithmetic import round_half_up, saturate

__all__ = ["GaussianNoiseReference"]

STEPS_A_VALUE = 3
MEAN_OF_FOUR = 2 * ((1 << 16) - 1)


class GaussianNoiseReference:
    """Draws noise as ``GaussianNoise`` does.

    Parameters
    ----------
    config : GaussianConfig
    state : int
        State of the generator, 64 bits; make it from a seed with ``hw.cores.random.xorshift.state_from_seed``.

    Attributes
    ----------
    state : int
        Before the next row.
    """

    def __init__(self, config: GaussianConfig, state: int = 0):
        self.config = config
        self.load(state)

    def load(self, state: int) -> None:
        """Continue from a state; zero is replaced by a constant."""
        self.state = int(state) or SUBSTITUTE_FOR_ZERO

    def skip(self, rows: int) -> None:
        """Leave rows out, however many, at once."""
        self.state = advance(self.state, STEPS_A_VALUE * self.config.lanes * rows)

    def values(self, rows: int) -> IntegerArray:
        """Rows of values with standard deviation one (int64, 16 fraction bits)."""
        count = rows * self.config.lanes
        states = np.empty(count * STEPS_A_VALUE, dtype=np.uint64)
        state = self.state
        for step in range(len(states)):
            states[step] = state = xorshift(state)
        self.state = state
        uniform = states.view(np.uint16).reshape(rows, self.config.lanes, 4 * STEPS_A_VALUE)
        return uniform.sum(axis=2, dtype=np.int64) - STEPS_A_VALUE * MEAN_OF_FOUR

    def rows(self, rows: int, scale: int) -> IntegerArray:
        """Rows of noise (int64 words, 20 fraction bits) with standard deviation ``scale`` (20 fraction bits)."""
        return saturate(round_half_up(self.values(rows) * scale, 16), 32)[0]
