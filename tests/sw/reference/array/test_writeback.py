"""Reference of the write-back path: what composing its parts must mean."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest

from rewardware.hw.cores.array.config import Operation, WritebackConfig
from rewardware.sw.reference.array.writeback import expand_auxiliary, write_back
from rewardware.sw.reference.quantization.ranges import QuantizationParameters

CONFIG = WritebackConfig(cores=2, lanes=4, rows=8, slots=2, factor_lane=1)
SLOTS = [QuantizationParameters(minimum=-1000, maximum=3000, bits=12), QuantizationParameters(maximum=1 << 24)]
CONTROL = {
    "half_rule": 0,
    "select_high": 0,
    "shift": 1,
    "bias_shift": 1,
    "operation": Operation.IDENTITY,
    "input_slot": 0,
    "auxiliary_packed": 0,
    "auxiliary_high": 0,
    "auxiliary_slot": 0,
    "lanes": 3,
    "merge": 0,
    "output_slot": 0,
    "quantize": 0,
    "sample_valid": 0b01,
}
ZEROS = np.zeros((2, 4), np.int64)


def row(bias=(0, 0, 0, 0), auxiliary=ZEROS, sums=ZEROS, **changes):
    return write_back(CONFIG, CONTROL | changes, ZEROS, sums, np.array(bias), auxiliary, SLOTS)


def test_a_word_given_as_bias_passes_unchanged():
    words = [-(1 << 31), (1 << 31) - 1, -7, 9]
    result = row(words)
    assert result.data.tolist() == [[*words[:3], 0]] * 2
    assert result.mask.all() and result.arithmetic_saturations == result.quantizer_saturations == 0
    assert row(words, merge=1).mask.tolist() == [True, True, True, False]


def test_only_present_values_of_valid_samples_count():
    result = row([-2000, 4000, 5000, 6000], quantize=1)
    assert result.data.tolist() == [[0, 4095, 4095, 0]] * 2
    assert result.quantizer_saturations == 3
    assert result.monitor_mask.tolist() == [[True] * 3 + [False], [False] * 4]
    assert row(sums=np.full((2, 4), 1 << 50), sample_valid=0b11).arithmetic_saturations == 6


def test_lane_0_takes_its_factor_from_the_configured_lane():
    one = 1 << 20
    auxiliary = np.array([[5 * one, one // 2, one, one], [-one, 0, 0, 0]])
    result = row([8 * one] * 4, auxiliary, operation=Operation.MULTIPLY_ADD, lanes=1, merge=1)
    assert result.data[:, 0].tolist() == [9 * one, -one]


@pytest.mark.parametrize("high", [False, True])
def test_codes_expand_to_the_floor_of_what_they_mean(high):
    parameters = SLOTS[0]
    codes = np.arange(1 << 12)
    values, positive = expand_auxiliary(codes << 16 if high else codes, packed=True, high=high, parameters=parameters)
    zero_point = floor(Fraction(1000 << 12, 4000))
    expected = [floor(Fraction((int(code) - zero_point) * 4000, 1 << 12)) for code in codes]
    assert values.tolist() == expected
    assert (positive == (codes > zero_point)).all()
    assert -1000 <= values.min() and values.max() <= 3000


def test_packed_codes_mean_nothing_without_parameters():
    with pytest.raises(ValueError, match="^Packed codes need the parameters of their range$"):
        expand_auxiliary([1, 2], packed=True)
