"""Priorities in units against exact rationals."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardware.sw.device.priority_units import priority_units

UNIT, LARGEST = float(1 << 12), (1 << 28) - 1
# `round` of a rational takes halves to even.
near_halves = st.integers(0, 2 * LARGEST).map(lambda halves: halves / 2 / UNIT)


@given(st.lists(st.one_of(st.floats(0, LARGEST / UNIT), near_halves), max_size=20))
def test_units_are_those_of_rationals(values):
    units, wrong = priority_units(np.array(values, np.float64), UNIT, LARGEST)
    assert wrong == -1
    assert units.tolist() == [max(round(Fraction(value) * int(UNIT)), value > 0) for value in values]


@pytest.mark.parametrize("value", [-1e-300, -1.0, np.nan, np.inf, -np.inf, (LARGEST + 0.5) / UNIT])
@pytest.mark.parametrize("place", [0, 3])
def test_the_first_wrong_value_is_told(value, place):
    values = np.array([0, 1e-300, LARGEST / UNIT, -0.0, 7])
    values[place:] = value
    assert priority_units(values, UNIT, LARGEST)[1] == place
