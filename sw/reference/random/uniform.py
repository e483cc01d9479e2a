"""Uniform numbers that actions are sampled with."""

import numpy as np

from ....hw.cores.random.xorshift import NUMBERS_A_STATE, SUBSTITUTE_FOR_ZERO, UNIFORM_BITS, xorshift
from ..arrays import IntegerArray

__all__ = ["UniformReference"]


class UniformReference:
    """Integers from 0 to 2047: the upper 11 bits of each quarter of the generator's states, lower quarters first.

    Parameters
    ----------
    state : int
        State of the generator, 64 bits; zero is replaced by a constant.

    Attributes
    ----------
    state : int
        Before the next number.
    """

    def __init__(self, state: int):
        self.state = int(state) or SUBSTITUTE_FOR_ZERO

    def numbers(self, count: int) -> IntegerArray:
        """The next ``count`` numbers, a multiple of 4, as int64."""
        if count % NUMBERS_A_STATE:
            raise ValueError(f"Count must be a multiple of {NUMBERS_A_STATE}, not {count}")
        states = np.empty(count // NUMBERS_A_STATE, "<u8")
        state = self.state
        for step in range(len(states)):
            states[step] = state = xorshift(state)
        self.state = state
        return (states.view("<u2") >> (16 - UNIFORM_BITS)).astype(np.int64)
