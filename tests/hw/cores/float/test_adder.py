"""Adder: equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.float.adder import FloatAdder
from rewardware.hw.cores.float.config import BINARY16, FloatConfig
from rewardware.sw.reference.float.arithmetic import add, is_nonfinite, subtract

from .check import check
from .formats import FORMATS, any_depth, corner_formats, every_depth
from .operands import all_tuples, anything, corners, join, near_opposites, near_ties, pairs, short


def column(rng, number_format, a, b):
    subtracted = rng.integers(0, 2, len(a))
    expected = np.where(subtracted, subtract(number_format, a, b), add(number_format, a, b))
    return (
        {"a": a, "b": b, "subtract": subtracted},
        {"result": expected, "nonfinite": is_nonfinite(number_format, expected)},
    )


def hard(rng, number_format, count):
    """Pairs that nearly cancel, and pairs nearly halfway between two numbers."""
    values = np.where(rng.random(count) < 0.5, anything(rng, number_format, count), short(rng, number_format, count))
    cancels = rng.random(count) < 0.5
    near = near_opposites(rng, number_format, values)
    return values, np.where(cancels, near, near_ties(rng, number_format, values))


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_every_depth(number_format):
    rng = np.random.default_rng(1)
    random = [anything(rng, number_format, 50_000) for _ in range(2)]
    a, b = join(pairs(corners(number_format)), hard(rng, number_format, 100_000), random)
    configs = every_depth(number_format)
    check(FloatAdder, configs, [column(rng, number_format, a, b)] * len(configs))


def test_corner_formats():
    """All pairs of short formats; differences that vanish far below the smallest number of others."""
    rng = np.random.default_rng(3)
    configs = any_depth(corner_formats((2, 1), (2, 6), (3, 3), (4, 4)))
    columns = []
    for config in configs:
        operands = all_tuples(config.format, 2)
        if operands is None:
            random = [rng.choice(corners(config.format), 50_000) for _ in range(2)]
            operands = join(hard(rng, config.format, 200_000), random)
        columns.append(column(rng, config.format, *operands))
    check(FloatAdder, configs, columns)


@pytest.mark.parametrize(("number_format", "rounds"), [(BINARY16, 10), (BINARY16.flushing(), 2)], ids=str)
def test_millions(number_format, rounds):
    rng = np.random.default_rng(2)
    count = 1_000_000
    config = FloatConfig(format=number_format, depth=4)
    for _ in range(rounds):
        random = [anything(rng, number_format, count) for _ in range(2)]
        check(FloatAdder, [config], [column(rng, number_format, *random)])
    check(FloatAdder, [config], [column(rng, number_format, *hard(rng, number_format, count))])
