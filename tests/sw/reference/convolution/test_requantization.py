"""Bias, multiplier, shift, rounding and saturation against exact fractions."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import booleans, integers, lists, sampled_from, tuples

from rewardware.sw.reference.convolution.requantization import multipliers, requantize

WORDS = integers(-(1 << 31), (1 << 31) - 1)


@given(
    lists(tuples(WORDS | sampled_from([-(1 << 31), (1 << 31) - 1, 0, -1]), WORDS, integers(0, 65535)), min_size=1),
    integers(0, 63),
    booleans(),
    sampled_from([8, 16]),
)
def test_same_as_fractions(rows, shift, rectified, width):
    words, saturated = requantize(
        np.array([row[0] for row in rows]),
        bias=np.array([row[1] for row in rows]),
        multiplier=np.array([row[2] for row in rows]),
        shift=shift,
        rectified=rectified,
        output_width=width,
    )
    low, high, count = -(1 << width - 1), (1 << width - 1) - 1, 0
    for (total, bias, multiplier), word in zip(rows, words.tolist(), strict=True):
        exact = floor(Fraction((total + bias) * multiplier, 1 << shift) + Fraction(1, 2))
        exact = max(exact, 0) if rectified else exact
        assert word == min(max(exact, low), high)
        count += not low <= exact <= high
    assert saturated == count


def test_the_widest_accumulators():
    least = np.array([-(1 << 46)])
    words, saturated = requantize(least, bias=least, multiplier=65535, shift=47, output_width=32, accumulator_width=47)
    assert (words.tolist(), saturated) == ([-65535], 0)


@pytest.mark.parametrize("ratios", [[1.0], [0.3, 0.001], [65535.4], [1e-30, 1e-31], [2.0**-40 / 3]])
def test_multipliers_are_the_nearest(ratios):
    words, shift = multipliers(ratios)
    assert words.min() >= 0 and words.max() < 1 << 16
    errors = np.abs(words - np.ldexp(ratios, shift))
    assert errors.max() <= 0.5
    assert words.max() >= 1 << 15 or shift == 63


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"shift": 64}, ValueError, "Shift must be from 0 to 63, not 64"),
        ({"multiplier": 65536}, ValueError, "Multiplier must be from 0 to 65535, not 65536"),
        ({"multiplier": 0.5}, TypeError, "Multiplier must be integers, not float64"),
        ({"bias": 128, "accumulator_width": 8}, ValueError, "Bias must be from -128 to 127, not 128"),
        ({"sums": np.array([3, 1 << 31])}, ValueError, "Sums must be from -2147483648 to 2147483647, not 2147483648"),
        ({"accumulator_width": 48}, ValueError, "Accumulator width must be from 1 to 47, not 48"),
        ({"output_width": 33}, ValueError, "Output width must be from 1 to 32, not 33"),
    ],
)
def test_refuses(changes, error, words):
    with pytest.raises(error, match=f"^{words}$"):
        requantize(**{"sums": np.array([1]), "multiplier": 1, "shift": 1, **changes})


@pytest.mark.parametrize(
    ("ratio", "words"),
    [
        (0.0, "Ratios must be positive and finite, not 0.0"),
        (np.inf, "Ratios must be positive and finite, not inf"),
        (1e5, "Ratios must be below 65535.5, not 100000.0"),
    ],
)
def test_ratios_that_are_refused(ratio, words):
    with pytest.raises(ValueError, match=f"^{words}$"):
        multipliers([1.0, ratio])
