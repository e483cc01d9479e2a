"""Operands of function units."""

import numpy as np

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32, FloatFormat
from tests.hw.cores.float.operands import corners

SMALL_FORMATS = [BINARY16, BFLOAT16, FloatFormat(exponent_bits=6, fraction_bits=9)]
# Operands of binary32 with the largest errors of tanh, exponential, logistic function and logarithm.
WORST = [0x3F9782BD, 0xC21B4C42, 0xC0850028, 0x3F90F55A]
FORMATS = [chosen for each in (*SMALL_FORMATS, BINARY32) for chosen in (each, each.flushing())]


def operands(number_format, count=1_000_000):
    """Every bit pattern of a short format; of binary32 corners, and all exponents, those around 1 more often."""
    if number_format.width <= 16:
        return np.arange(1 << number_format.width)
    rng = np.random.default_rng(4)
    fraction_bits = number_format.fraction_bits
    evenly = np.arange(count // 2) % (number_format.exponent_ones + 1)
    around = rng.integers(number_format.bias - fraction_bits - 2, number_format.bias + 8, count // 2)
    exponent = np.concatenate([evenly, around])
    low, sign = rng.integers(0, 1 << fraction_bits, exponent.size), rng.integers(0, 2, exponent.size)
    random = sign << number_format.width - 1 | exponent << fraction_bits | low
    # Where a step of the range reduction lies: multiples of ln(2), exponents at which results vanish or overflow.
    steps = np.arange(-160, 129).repeat(9) * np.log(2) / 2
    near = steps.astype(np.float32).view(np.int32).astype(np.int64) + np.tile(np.arange(-4, 5), 289)
    return np.concatenate([corners(number_format), near & (1 << number_format.width) - 1, random, WORST])
