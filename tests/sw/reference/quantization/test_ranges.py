"""Ranges and codes against the equations of Algorithm 1 in exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rewardware.hw.cores.quantization.config import RangeConfig
from rewardware.sw.reference.quantization.ranges import (
    QuantizationParameters,
    RangeReference,
    dequantize,
    quantize,
)

LEAST, GREATEST = -(1 << 31), (1 << 31) - 1


def magnitudes(limit):
    """Numbers of every order, zero and the limit included."""
    return st.integers(0, limit.bit_length()).flatmap(lambda bits: st.integers(0, min(limit, (1 << bits) - 1)))


PARAMETERS = st.builds(
    lambda low, high, bits: QuantizationParameters(minimum=-low, maximum=high, bits=bits),
    magnitudes(1 << 31),
    magnitudes(GREATEST),
    st.integers(8, 16),
)


@given(parameters=PARAMETERS, position=st.floats(-0.1, 1.1))
@example(parameters=QuantizationParameters(minimum=LEAST, maximum=GREATEST), position=1.0)
@example(parameters=QuantizationParameters(minimum=-1), position=0.0)
@example(parameters=QuantizationParameters(), position=0.5)
def test_codes_follow_the_definition(parameters, position):
    near = parameters.minimum + int(position * parameters.scale)
    words = np.clip(near + np.arange(-3, 4), LEAST, GREATEST)
    codes, saturated = quantize(words, parameters)
    n, minimum, maximum = parameters.bits, parameters.minimum, parameters.maximum
    delta = Fraction(max(1, abs(minimum) + abs(maximum)), 1 << n)
    zero_point = (-minimum / delta).__floor__()
    assert parameters.zero_point == zero_point
    for word, code, outside in zip(words.tolist(), codes.tolist(), saturated.tolist(), strict=True):
        clamped = min(max(word, minimum), maximum)
        assert code == min(max((clamped / delta).__floor__() + zero_point, 0), (1 << n) - 1)
        assert outside == (clamped != word)
        assert dequantize(np.array([code]), parameters)[0] == ((code - zero_point) * delta).__floor__()


@given(parameters=PARAMETERS, data=st.data())
def test_reciprocal_and_one_correction_suffice(parameters, data):
    """The rule of the hardware: the estimate is the quotient, one less, or for negative words one more."""
    word = data.draw(st.integers(parameters.minimum, parameters.maximum))
    assert parameters.reciprocal < 1 << 32 and parameters.shift < 64
    estimate = (word * parameters.reciprocal) >> parameters.shift
    quotient = (word << parameters.bits) // parameters.scale
    assert quotient - estimate in ((0, 1) if word >= 0 else (-1, 0))


def test_ranges():
    ranges = RangeReference(3)
    ranges.monitor(1, np.array([[5, -7], [3, 2]]))
    ranges.monitor(1, np.array([9]))
    ranges.monitor(1, np.array([], dtype=np.int64))
    ranges.monitor(2, np.array([4]))
    assert (ranges.minima, ranges.maxima) == ([0, -7, 0], [0, 9, 4])
    ranges.freeze(8)
    ranges.write(0, -1, 1)
    ranges.write(1, 3, -2)
    assert ranges.parameters[1] == QuantizationParameters(minimum=-7, maximum=9, bits=8)
    assert (ranges.minima, ranges.maxima) == ([-1, 0, 0], [1, 0, 4])
    ranges.clear()
    assert (ranges.minima, ranges.maxima) == ([0, 0, 0], [0, 0, 0])
    assert ranges.parameters[2].maximum == 4


def test_bad_values():
    with pytest.raises(ValueError, match=r"^Range must contain zero within 32 bits, not \[1, 2\]$"):
        QuantizationParameters(minimum=1, maximum=2)
    with pytest.raises(ValueError, match="^Bits must be from 8 to 16, not 17$"):
        QuantizationParameters(bits=17)
    with pytest.raises(ValueError, match="^Slots must be from 2 to 64, not 1$"):
        RangeConfig(slots=1)
    with pytest.raises(TypeError, match="^Lanes must be an integer, not 2.0$"):
        RangeConfig(lanes=2.0)
