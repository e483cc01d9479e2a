"""Multiplier: equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, FloatConfig
from rewardware.hw.cores.float.multiplier import FloatMultiplier
from rewardware.sw.reference.float.arithmetic import is_nonfinite, multiply

from .check import check
from .formats import FORMATS, any_depth, corner_formats, every_depth
from .operands import all_tuples, anything, corners, join, near_limits, pairs, short


def column(number_format, a, b):
    expected = multiply(number_format, a, b)
    return {"a": a, "b": b}, {"result": expected, "nonfinite": is_nonfinite(number_format, expected)}


def hard(rng, number_format, count):
    """Products halfway between two numbers, and products about where numbers become subnormal or infinite."""
    values = short(rng, number_format, count)
    ties = rng.random(count) < 0.5
    return values, np.where(ties, short(rng, number_format, count), near_limits(rng, number_format, values))


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_every_depth(number_format):
    rng = np.random.default_rng(1)
    random = [anything(rng, number_format, 50_000) for _ in range(2)]
    a, b = join(pairs(corners(number_format)), hard(rng, number_format, 100_000), random)
    configs = every_depth(number_format)
    check(FloatMultiplier, configs, [column(number_format, a, b)] * len(configs))


def test_corner_formats():
    """All pairs of short formats; others have so few exponents that products of subnormal numbers count."""
    rng = np.random.default_rng(3)
    configs = any_depth(corner_formats((2, 1), (2, 6), (3, 3), (4, 4)))
    columns = []
    for config in configs:
        operands = all_tuples(config.format, 2)
        if operands is None:
            random = [rng.choice(corners(config.format), 50_000) for _ in range(2)]
            operands = join(hard(rng, config.format, 200_000), random)
        columns.append(column(config.format, *operands))
    check(FloatMultiplier, configs, columns)


@pytest.mark.parametrize(("number_format", "rounds"), [(BINARY16, 10), (BINARY16.flushing(), 2)], ids=str)
def test_millions(number_format, rounds):
    rng = np.random.default_rng(2)
    count = 1_000_000
    config = FloatConfig(format=number_format, depth=3)
    for _ in range(rounds):
        random = [anything(rng, number_format, count) for _ in range(2)]
        check(FloatMultiplier, [config], [column(number_format, *random)])
    check(FloatMultiplier, [config], [column(number_format, *hard(rng, number_format, count))])
