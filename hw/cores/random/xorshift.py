"""The generator behind the noise, in integers: one definition for gateware, reference and driver. No Amaranth here."""

import functools

from ..checks import require_integer

__all__ = [
    "NUMBERS_A_STATE",
    "SHIFTS",
    "STATE_WIDTH",
    "SUBSTITUTE_FOR_ZERO",
    "UNIFORM_BITS",
    "advance",
    "state_from_seed",
    "xorshift",
]

STATE_WIDTH = 64
MASK = (1 << STATE_WIDTH) - 1
# Left, right, left: G. Marsaglia, "Xorshift RNGs", 2003, full period 2^64 - 1.
SHIFTS = (13, 7, 17)
# Uniform numbers are the upper bits of the quarters of a state, lower quarters first; so many are exact in binary16.
UNIFORM_BITS = 11
NUMBERS_A_STATE = 4
# The one state that the generator would never leave is zero; this one stands in for it.
SUBSTITUTE_FOR_ZERO = 0x9E37_79B9_7F4A_7C15


def xorshift(state):
    """The state after ``state``."""
    first, second, third = SHIFTS
    state ^= (state << first) & MASK
    state ^= state >> second
    state ^= (state << third) & MASK
    return state


def state_from_seed(seed):
    """A state from any seed of 64 bits: different for different seeds, and unlike for similar ones.

    The finaliser of SplitMix64; the seed that would give zero gives ``SUBSTITUTE_FOR_ZERO``.
    """
    require_integer("Seed", seed, 0, MASK)
    state = (seed + SUBSTITUTE_FOR_ZERO) & MASK
    state = (state ^ state >> 30) * 0xBF58_476D_1CE4_E5B9 & MASK
    state = (state ^ state >> 27) * 0x94D0_49BB_1331_11EB & MASK
    return state ^ state >> 31 or SUBSTITUTE_FOR_ZERO


def advance(state, steps):
    """The state ``steps`` steps later, in a time that grows with the logarithm of ``steps`` only.

    A step is linear over the bits, so powers of it are matrices: column b is what becomes of bit b alone.
    """
    require_integer("State", state, 1, MASK)
    require_integer("Steps", steps, 0, MASK)
    for power in range(steps.bit_length()):
        if steps >> power & 1:
            state = _apply(_power_of_two_steps(power), state)
    return state


@functools.cache
def _power_of_two_steps(exponent):
    if exponent == 0:
        return tuple(xorshift(1 << bit) for bit in range(STATE_WIDTH))
    half = _power_of_two_steps(exponent - 1)
    return tuple(_apply(half, column) for column in half)


def _apply(columns, state):
    result = 0
    for bit, column in enumerate(columns):
        if state >> bit & 1:
            result ^= column
    return result
