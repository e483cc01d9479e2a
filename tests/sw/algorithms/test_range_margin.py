"""The ranges that are frozen in place of the recorded ones."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rewardware.hw.cores.array.config import Operation
from rewardware.sw.algorithms.range_margin import widened_ranges
from rewardware.sw.reference.array.activation_unit import activate
from rewardware.sw.reference.quantization.ranges import QuantizationParameters, dequantize, quantize

ONE = 1 << 20
LEAST, GREATEST = -(1 << 31), (1 << 31) - 1
minima, maxima = st.integers(LEAST, 0), st.integers(0, GREATEST)


def widened(ranges, margin):
    minimum, maximum = np.array(ranges, np.int32).T
    low, high = widened_ranges(minimum, maximum, margin)
    assert low.dtype == high.dtype == np.int32
    return list(zip(low.tolist(), high.tolist(), strict=True))


def test_a_margin_of_one_keeps_what_was_recorded():
    assert widened([(-5, 9), (0, 77)], 1.0) == [(-5, 9), (0, 77)]


@pytest.mark.parametrize(
    ("recorded", "margin", "expected"),
    [
        ((0, 10), 8.0, (0, 80)),
        ((-7, 10), 1.5, (-11, 15)),
        ((-3, 0), 2, (-6, 0)),
        ((0, GREATEST), 8.0, (0, GREATEST)),
        ((LEAST, 5), 4.0, (LEAST, 20)),
        ((0, 0), 256.0, (0, 0)),
    ],
)
def test_hidden_ranges_grow_about_zero_within_a_word(recorded, margin, expected):
    assert widened([(0, 1), recorded], margin)[1] == expected


@given(minima, maxima, st.floats(1.0, 256.0, exclude_min=True))
def test_hidden_ranges_are_the_factor_rounded_outwards(least, greatest, margin):
    low, high = widened([(0, 1), (least, greatest)], margin)[1]
    # float64 rounds the exact product by less than a word.
    assert low == LEAST or abs(low - least * Fraction(margin)) <= 1
    assert high == GREATEST or abs(high - greatest * Fraction(margin)) <= 1
    assert low <= least and high >= greatest


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        ((0, 0), (0, 1)),
        ((-4, 3), (-4, 4)),
        ((-4, 4), (-8, 8)),
        ((-4, 5), (-7, 9)),
        ((-33 << 20, 34 << 20), (-(127 << 19), 129 << 19)),
        ((LEAST, 0), (LEAST, GREATEST)),
        ((LEAST, GREATEST), (LEAST, GREATEST)),
        ((LEAST + 9, 1 << 28), (LEAST, GREATEST)),
        # Above there is no room: the width goes on below.
        ((0, GREATEST), (-1, GREATEST)),
    ],
)
def test_inputs_get_a_width_that_is_a_power_of_two(recorded, expected):
    assert widened([recorded, (0, 1)], 8.0)[0] == expected


@example(-(1 << 30), 1 << 30, 12)
@given(st.integers(-(1 << 30), -ONE), st.integers(ONE, 1 << 30), st.integers(8, 16))
def test_a_saturated_action_has_no_slope(least, greatest, bits):
    minimum, maximum = widened([(least, greatest)], 2.0)[0]
    assert minimum <= least and maximum >= greatest
    parameters = QuantizationParameters(minimum=minimum, maximum=maximum, bits=bits)
    codes, outside = quantize(np.array([-ONE, ONE]), parameters)
    actions = dequantize(codes, parameters)
    slope, _ = activate(Operation.TANH_GRADIENT, np.array([1 << 24, 1 << 24]), actions)
    # A code step of more than one (ranges of a thousand with 8 bits) cannot tell an action from another; the whole
    # format's width is no power of two.
    if maximum - minimum <= ONE << bits and (minimum, maximum) != (LEAST, GREATEST):
        assert not outside.any() and actions.tolist() == [-ONE, ONE] and not slope.any()
