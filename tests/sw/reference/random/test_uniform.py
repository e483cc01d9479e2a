"""Uniform numbers for sampling."""

import numpy as np
import pytest

from rewardware.hw.cores.random.xorshift import state_from_seed, xorshift
from rewardware.sw.reference.random.uniform import UniformReference


def test_numbers_are_the_upper_bits_of_the_quarters_of_states():
    state = state_from_seed(3)
    uniform = UniformReference(state)
    first, second = xorshift(state), xorshift(xorshift(state))
    expected = [(number >> shift & 0xFFFF) >> 5 for number in (first, second) for shift in (0, 16, 32, 48)]
    assert uniform.numbers(8).tolist() == expected
    assert uniform.state == second


def test_numbers_are_uniform():
    numbers = UniformReference(state_from_seed(0)).numbers(1 << 16)
    counts = np.bincount(numbers, minlength=2048)
    # The sum of squared deviations of 2047 free counts from their mean of 32: within five standard deviations.
    assert abs(((counts - 32) ** 2 / 32).sum() - 2047) < 5 * (2 * 2047) ** 0.5


def test_a_part_of_a_state_is_refused():
    with pytest.raises(ValueError, match="Count must be a multiple of 4, not 6"):
        UniformReference(1).numbers(6)


def test_zero_is_replaced():
    assert np.ptp(UniformReference(0).numbers(64)) > 0
