"""Fused multiply-add: equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, FloatConfig
from rewardware.hw.cores.float.fused_multiply_add import FloatFusedMultiplyAdd
from rewardware.sw.reference.float.arithmetic import fused_multiply_add, is_nonfinite, multiply

from .check import FORMATS, check
from .operands import anything, corners, extremes, near_limits, near_opposites, near_ties, pairs, short


def check_unit(number_format, a, b, c, **options):
    expected = fused_multiply_add(number_format, a, b, c)
    check(
        FloatFusedMultiplyAdd,
        FloatConfig,
        {"format": number_format},
        {"a": a, "b": b, "c": c},
        {"result": expected, "nonfinite": is_nonfinite(number_format, expected)},
        **options,
    )


def hard(rng, number_format, count):
    """Products at the ends of the range or of few bits, with an addend that nearly cancels or breaks a tie."""
    a = np.where(rng.random(count) < 0.5, anything(rng, number_format, count), short(rng, number_format, count))
    # Subnormal operands are rare otherwise.
    a = np.where(rng.random(count) < 0.2, a & ~np.int64(number_format.infinity), a)
    b = np.where(rng.random(count) < 0.5, short(rng, number_format, count), near_limits(rng, number_format, a))
    product = multiply(number_format, a, b)
    near = near_opposites(rng, number_format, product)
    return a, b, np.where(rng.random(count) < 0.6, near, near_ties(rng, number_format, product))


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_every_depth(number_format):
    rng = np.random.default_rng(1)
    few, all_corners = extremes(number_format), corners(number_format)
    a, b = pairs(few)
    c = few.repeat(len(a))
    random = [anything(rng, number_format, 50_000) for _ in range(3)]
    mixed = [rng.choice(all_corners, 100_000) for _ in range(3)]
    parts = [(np.tile(a, len(few)), np.tile(b, len(few)), c), random, mixed, hard(rng, number_format, 200_000)]
    check_unit(number_format, *(np.concatenate(columns) for columns in zip(*parts, strict=True)))


@pytest.mark.parametrize(("number_format", "rounds"), [(BINARY16, 10), (BINARY16.flushing(), 2)], ids=str)
def test_millions(number_format, rounds):
    rng = np.random.default_rng(2)
    count = 1_000_000
    for _ in range(rounds):
        check_unit(number_format, *(anything(rng, number_format, count) for _ in range(3)), depth=5)
    check_unit(number_format, *hard(rng, number_format, count), depth=5)
