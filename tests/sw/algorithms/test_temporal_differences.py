"""Compiled temporal-difference errors against NumPy's statement of the same, to the last bit."""

import numpy as np
import pytest

from rewardware.sw.algorithms.temporal_differences import temporal_differences

ROWS, ACTIONS = 37, 5
# Huber's loss changes at an error of 1; the rest are numbers that a comparison could lose.
CORNERS = np.array(
    [0.0, -0.0, 1, -1, np.nextafter(np.float32(1), np.float32(2)), 1e-45, 3e38, -3e38, np.inf, -np.inf, np.nan]
)


def stated(values, taken, rewards, terminated, next_values, choosing, discount, weights, huber):
    """The same, array by array."""
    rows = np.arange(len(taken))
    best = next_values[rows, choosing.argmax(1)]
    chosen = values[rows, taken]
    errors = chosen - (rewards + np.where(terminated, np.float32(0), discount * best))
    slopes = np.zeros_like(values)
    slopes[rows, taken] = weights * np.float32(1 / len(rows)) * (errors.clip(-1, 1) if huber else errors)
    return chosen, errors, slopes


@pytest.mark.parametrize("huber", [False, True])
@pytest.mark.parametrize("double", [False, True])
@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.filterwarnings("ignore:invalid value", "ignore:overflow")
def test_equals_numpy(huber, double, corners):
    generator = np.random.default_rng(3)

    def drawn(*shape):
        numbers = generator.normal(0, 2, shape)
        if corners:
            numbers = np.where(generator.random(shape) < 0.3, generator.choice(CORNERS, shape), numbers)
        return numbers.astype(np.float32)

    for _ in range(20):
        values, next_values = drawn(ROWS, ACTIONS), drawn(ROWS, ACTIONS)
        choosing = drawn(ROWS, ACTIONS) if double else next_values
        given = (
            values, generator.integers(ACTIONS, size=ROWS), drawn(ROWS), generator.random(ROWS) < 0.3, next_values,
            choosing, np.float32(0.99), generator.random(ROWS, np.float32), huber,
        )  # fmt: skip
        for found, expected in zip(temporal_differences(*given), stated(*given), strict=True):
            assert found.dtype == np.float32
            assert np.array_equal(found, expected, equal_nan=True)
            # Also the signs of zeros; those of NaN say nothing.
            assert np.array_equal(np.signbit(found) & ~np.isnan(found), np.signbit(expected) & ~np.isnan(expected))
