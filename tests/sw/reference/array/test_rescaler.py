"""Reference of the rescaler against exact fractions."""

from fractions import Fraction
from math import floor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rewardware.sw.reference.array.rescaler import rescale
from tests.hw.cores.stimulus import mixed

LIMIT = 1 << 31


def exact(low, high, half_rule, select_high, scale, bias, bias_shift, shift):
    total = Fraction(high if select_high else low) * scale / 2**26 if half_rule else high + Fraction(low, 2**16)
    rounded = floor((total + bias * 2**bias_shift) / 2**shift + Fraction(1, 2))
    return min(max(rounded, -LIMIT), LIMIT - 1), not -LIMIT <= rounded < LIMIT


def test_is_one_rounding_of_the_exact_value():
    rng = np.random.default_rng(0)
    low, high = mixed(rng, 3000, 57), mixed(rng, 3000, 57)
    bias, scale = mixed(rng, 3000, 32), mixed(rng, 3000, 33) & 0xFFFF_FFFF
    for half_rule, select_high in ((False, False), (True, False), (True, True)):
        for shift, bias_shift in ((1, 0), (8, 4), (14, 10), (31, 15)):
            got = rescale(
                low,
                high,
                half_rule=half_rule,
                select_high=select_high,
                scale=scale,
                bias=bias,
                bias_shift=bias_shift,
                shift=shift,
            )
            for i in range(len(low)):
                arguments = (int(low[i]), int(high[i]), half_rule, select_high, int(scale[i]), int(bias[i]))
                assert (got[0][i], got[1][i]) == exact(*arguments, bias_shift, shift), arguments


def integers(bits):
    return st.integers(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


@given(
    integers(57),
    integers(57),
    st.booleans(),
    st.booleans(),
    st.integers(0, (1 << 32) - 1),
    integers(32),
    st.integers(0, 15),
    st.integers(1, 31),
)
def test_no_arguments_differ_from_the_exact_value(low, high, half_rule, select_high, scale, bias, bias_shift, shift):
    x, saturated = rescale(
        np.array([low]),
        np.array([high]),
        half_rule=half_rule,
        select_high=select_high,
        scale=scale,
        bias=bias,
        bias_shift=bias_shift,
        shift=shift,
    )
    assert (x[0], saturated[0]) == exact(low, high, half_rule, select_high, scale, bias, bias_shift, shift)
