"""Adder: equality with the reference."""

import numpy as np
import pytest

from rewardware.hw.cores.float.adder import FloatAdder
from rewardware.hw.cores.float.config import BINARY16, FloatConfig
from rewardware.sw.reference.float.arithmetic import add, is_nonfinite, subtract

from .check import FORMATS, check
from .operands import anything, corners, near_opposites, near_ties, pairs, short


def check_adder(number_format, a, b, subtracted, **options):
    expected = np.where(subtracted, subtract(number_format, a, b), add(number_format, a, b))
    check(
        FloatAdder,
        FloatConfig,
        {"format": number_format},
        {"a": a, "b": b, "subtract": subtracted},
        {"result": expected, "nonfinite": is_nonfinite(number_format, expected)},
        **options,
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
    a, b = (
        np.concatenate(columns)
        for columns in zip(
            pairs(corners(number_format)),
            hard(rng, number_format, 100_000),
            (anything(rng, number_format, 50_000), anything(rng, number_format, 50_000)),
            strict=True,
        )
    )
    check_adder(number_format, a, b, rng.integers(0, 2, len(a)))


@pytest.mark.parametrize(("number_format", "rounds"), [(BINARY16, 10), (BINARY16.flushing(), 2)], ids=str)
def test_millions(number_format, rounds):
    rng = np.random.default_rng(2)
    count = 1_000_000
    for _ in range(rounds):
        a, b = anything(rng, number_format, count), anything(rng, number_format, count)
        check_adder(number_format, a, b, rng.integers(0, 2, count), depth=4)
    check_adder(number_format, *hard(rng, number_format, count), rng.integers(0, 2, count), depth=4)
