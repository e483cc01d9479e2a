"""The generator against its definition, the noise against the moments that are claimed."""

import numpy as np
import pytest

from rewardware.hw.cores.random.config import GaussianConfig
from rewardware.hw.cores.random.xorshift import MASK, advance, state_from_seed, xorshift
from rewardware.sw.reference.random.gaussian import GaussianNoiseReference


def test_a_step_is_marsaglia_s():
    # Second state from the seed of the paper's example, 88172645463325252.
    assert xorshift(88172645463325252) == 8748534153485358512


def test_advance_equals_single_steps():
    state = expected = state_from_seed(3)
    for steps in range(200):
        assert advance(state, steps) == expected
        expected = xorshift(expected)


def test_period_is_full():
    period, state = (1 << 64) - 1, state_from_seed(7)
    assert advance(state, period) == state
    for prime in (3, 5, 17, 257, 641, 65537, 6700417):
        assert advance(state, period // prime) != state


def test_states_from_seeds():
    states = [state_from_seed(seed) for seed in (*range(1000), MASK)]
    assert len(set(states)) == len(states) and 0 not in states
    ones = [(first ^ second).bit_count() for first, second in zip(states, states[1:], strict=False)]
    assert 30 < np.mean(ones) < 34 and min(ones) > 12
    with pytest.raises(ValueError, match=f"^Seed must be from 0 to {MASK}, not -1$"):
        state_from_seed(-1)


def test_moments():
    noise = GaussianNoiseReference(GaussianConfig(lanes=4), state_from_seed(1))
    values = noise.values(50_000) / 65536
    count = values.size
    flat = values.ravel()
    # Four standard errors of each estimate.
    assert abs(flat.mean()) < 4 / np.sqrt(count)
    assert abs(flat.var() - 1) < 4 * np.sqrt(1.9 / count)
    assert abs((flat**3).mean()) < 4 * np.sqrt(13.5 / count)
    assert abs((flat**4).mean() - 2.9) < 4 * np.sqrt(80 / count)
    assert np.abs(flat).max() < 6
    for lag in (1, 2, 3, 4, 8):
        assert abs((flat[lag:] * flat[:-lag]).mean()) < 4 / np.sqrt(count)
    # Shares within one and two standard deviations: those of the sum of twelve uniform numbers.
    assert abs((np.abs(flat) < 1).mean() - 0.6805) < 0.005
    assert abs((np.abs(flat) < 2).mean() - 0.9550) < 0.003


def test_rows_are_rounded_once():
    config = GaussianConfig(lanes=3)
    one, other = (GaussianNoiseReference(config, 5) for _ in range(2))
    for scale in (0, 1, 104858, (1 << 28) - 1, (1 << 32) - 1):
        expected = [
            max(-(1 << 31), min((1 << 31) - 1, (int(value) * scale + (1 << 15)) >> 16))
            for value in one.values(4).ravel()
        ]
        np.testing.assert_array_equal(other.rows(4, scale).ravel(), expected)


def test_skip_and_load():
    config = GaussianConfig(lanes=5)
    noise = GaussianNoiseReference(config, 11)
    rows = noise.rows(20, 1 << 20)
    again = GaussianNoiseReference(config, 11)
    again.skip(13)
    np.testing.assert_array_equal(again.rows(7, 1 << 20), rows[13:])
    assert again.state == noise.state
    again.load(0)
    assert again.state


def test_bad_configuration():
    with pytest.raises(ValueError, match="^Lanes must be from 1 to 64, not 0$"):
        GaussianConfig(lanes=0)
