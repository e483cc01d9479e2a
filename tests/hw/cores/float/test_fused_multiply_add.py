"""Fused multiply-add: equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, FloatConfig
from rewardware.hw.cores.float.fused_multiply_add import FloatFusedMultiplyAdd
from rewardware.sw.reference.float.arithmetic import fused_multiply_add, is_nonfinite, multiply

from .check import check
from .formats import FORMATS, any_depth, corner_formats, every_depth
from .operands import (
    aligned,
    all_tuples,
    anything,
    corners,
    extremes,
    join,
    near_limits,
    near_opposites,
    near_ties,
    pairs,
    short,
)


def column(number_format, a, b, c):
    expected = fused_multiply_add(number_format, a, b, c)
    return {"a": a, "b": b, "c": c}, {"result": expected, "nonfinite": is_nonfinite(number_format, expected)}


def hard(rng, number_format, count):
    """Products at the ends of the range or of few bits, and an addend that nearly cancels, ties or overlaps."""
    a = np.where(rng.random(count) < 0.5, anything(rng, number_format, count), short(rng, number_format, count))
    # Subnormal operands are rare otherwise.
    a = np.where(rng.random(count) < 0.2, a & ~np.int64(number_format.infinity), a)
    b = np.where(rng.random(count) < 0.5, short(rng, number_format, count), near_limits(rng, number_format, a))
    product = multiply(number_format, a, b)
    kind = rng.random(count)
    near = np.where(kind < 0.4, near_opposites(rng, number_format, product), aligned(rng, number_format, product))
    return a, b, np.where(kind < 0.7, near, near_ties(rng, number_format, product))


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_every_depth(number_format):
    rng = np.random.default_rng(1)
    few, all_corners = extremes(number_format), corners(number_format)
    a, b = pairs(few)
    c = few.repeat(len(a))
    random = [anything(rng, number_format, 50_000) for _ in range(3)]
    mixed = [rng.choice(all_corners, 100_000) for _ in range(3)]
    operands = join((np.tile(a, len(few)), np.tile(b, len(few)), c), random, mixed, hard(rng, number_format, 200_000))
    configs = every_depth(number_format)
    check(FloatFusedMultiplyAdd, configs, [column(number_format, *operands)] * len(configs))


def test_corner_formats():
    """All triples of short formats; sums that vanish far below the smallest number of others."""
    rng = np.random.default_rng(3)
    configs = any_depth(corner_formats((2, 1), (2, 3), (3, 2), (4, 1)))
    columns = []
    for config in configs:
        operands = all_tuples(config.format, 3)
        if operands is None:
            mixed = [rng.choice(corners(config.format), 50_000) for _ in range(3)]
            operands = join(hard(rng, config.format, 200_000), mixed)
        columns.append(column(config.format, *operands))
    check(FloatFusedMultiplyAdd, configs, columns)


@pytest.mark.parametrize(("number_format", "rounds"), [(BINARY16, 10), (BINARY16.flushing(), 2)], ids=str)
def test_millions(number_format, rounds):
    rng = np.random.default_rng(2)
    count = 1_000_000
    config = FloatConfig(format=number_format, depth=5)
    for _ in range(rounds):
        random = [anything(rng, number_format, count) for _ in range(3)]
        check(FloatFusedMultiplyAdd, [config], [column(number_format, *random)])
    check(FloatFusedMultiplyAdd, [config], [column(number_format, *hard(rng, number_format, count))])
