"""Multiplier: equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, FloatConfig
from rewardware.hw.cores.float.multiplier import FloatMultiplier
from rewardware.sw.reference.float.arithmetic import is_nonfinite, multiply

from .check import FORMATS, check
from .operands import anything, corners, near_limits, pairs, short


def check_multiplier(number_format, a, b, **options):
    expected = multiply(number_format, a, b)
    check(
        FloatMultiplier,
        FloatConfig,
        {"format": number_format},
        {"a": a, "b": b},
        {"result": expected, "nonfinite": is_nonfinite(number_format, expected)},
        **options,
    )


def hard(rng, number_format, count):
    """Products halfway between two numbers, and products about where numbers become subnormal or infinite."""
    values = short(rng, number_format, count)
    ties = rng.random(count) < 0.5
    return values, np.where(ties, short(rng, number_format, count), near_limits(rng, number_format, values))


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_every_depth(number_format):
    rng = np.random.default_rng(1)
    a, b = (
        np.concatenate(columns)
        for columns in zip(
            pairs(corners(number_format)),
            hard(rng, number_format, 100_000),
            (anything(rng, number_format, 50_000), anything(rng, number_format, 50_000)),
            strict=True,
        )
    )
    check_multiplier(number_format, a, b)


@pytest.mark.parametrize(("number_format", "rounds"), [(BINARY16, 10), (BINARY16.flushing(), 2)], ids=str)
def test_millions(number_format, rounds):
    rng = np.random.default_rng(2)
    count = 1_000_000
    for _ in range(rounds):
        a, b = anything(rng, number_format, count), anything(rng, number_format, count)
        check_multiplier(number_format, a, b, depth=3)
    check_multiplier(number_format, *hard(rng, number_format, count), depth=3)
