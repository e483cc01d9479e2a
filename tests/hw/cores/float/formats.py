"""Formats to test the floating-point units with, and the units in each of their depths."""

import numpy as np

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32, MAXIMUM_DEPTH, FloatConfig, FloatFormat

# In every depth; the corner formats have one depth each.
FORMATS = [
    BINARY16,
    BINARY16.flushing(),
    BFLOAT16,
    BINARY32,
    BINARY32.flushing(),
    FloatFormat(exponent_bits=6, fraction_bits=9),
]


def corner_formats(*sizes, seed=1):
    """Formats of given numbers of exponent and fraction bits, and of few exponents and long fractions; all flushed too.

    Among the latter what is left of a difference, or is lost of a product, may be far below the smallest number.
    """
    rng = np.random.default_rng(seed)
    generated = [(exponent, int(rng.integers(min(1 << exponent, 21), 24))) for exponent in range(2, 7)]
    formats = [
        FloatFormat(exponent_bits=exponent, fraction_bits=fraction) for exponent, fraction in (*sizes, *generated)
    ]
    return [chosen for each in formats for chosen in (each, each.flushing())]


def every_depth(number_format):
    """Configurations of a format, one for each depth."""
    return [FloatConfig(format=number_format, depth=depth) for depth in range(MAXIMUM_DEPTH + 1)]


def any_depth(formats):
    """A configuration for each format, the depths in turn."""
    return [
        FloatConfig(format=number_format, depth=index % (MAXIMUM_DEPTH + 1))
        for index, number_format in enumerate(formats)
    ]
