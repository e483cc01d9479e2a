"""Numbers for tests: ordinary ones, and among them those that break things."""

import numpy as np


def ordinary(rng, number_format, shape):
    """Finite numbers around one, of either sign."""
    exponents = rng.integers(-6, 3, shape) + number_format.bias
    fractions = rng.integers(0, 1 << number_format.fraction_bits, shape)
    signs = rng.integers(0, 2, shape) << number_format.width - 1
    return signs | np.clip(exponents, 1, None) << number_format.fraction_bits | fractions


def corners(number_format):
    """Zeros, subnormal and largest numbers, infinities, NaN, of both signs."""
    smallest, one, infinity = number_format.smallest_normal, number_format.one, number_format.infinity
    values = [0, 1, smallest - 1, smallest, one, one + 1, infinity - 1, infinity, number_format.quiet_nan]
    return np.array([sign | value for sign in (0, number_format.sign_bit) for value in values])


def mixed(rng, number_format, shape, share=0.1):
    """Ordinary numbers, a ``share`` of them corners or any bit pattern."""
    values = ordinary(rng, number_format, shape)
    patterns = rng.integers(0, 1 << number_format.width, shape)
    kinds = rng.random(shape)
    values = np.where(kinds < share, rng.choice(corners(number_format), shape), values)
    return np.where(kinds < share / 2, patterns, values)


def packed(values, width):
    """Numbers of the last axis side by side in one word each, the first lowest."""
    values = np.asarray(values).astype(np.uint64)
    shifts = np.arange(values.shape[-1], dtype=np.uint64) * np.uint64(width)
    return np.bitwise_or.reduce(values << shifts, axis=-1)
