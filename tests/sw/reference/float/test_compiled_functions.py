"""The compiled functions of binary32 give the bits of the general ones."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32
from rewardware.sw.reference.float.functions import host
from rewardware.sw.reference.float.functions.exponential import exponential
from rewardware.sw.reference.float.functions.logarithm import logarithm
from rewardware.sw.reference.float.functions.reciprocal import reciprocal
from rewardware.sw.reference.float.functions.square_root import square_root
from rewardware.sw.reference.float.host import from_bits, to_bits

# Zeros, subnormals, the ends of the normal numbers, one and its neighbours, infinities, NaNs.
CORNERS = [0, 1, 2, 0x7FFFFF, 0x800000, 0x800001, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x7F7FFFFF, 0x7F800000]
CORNERS += [0x7F800001, 0x7FC00000, 0x7FFFFFFF, 0x42B17217, 0x42B17218, 0x42AEAC4F, 0x42CFF1B5, 0x3F400000, 0x3FC00000]
PAIRS = [
    (host.exponential, exponential),
    (host.logarithm, logarithm),
    (host.reciprocal, reciprocal),
    (host.square_root, square_root),
]


def patterns():
    generator = np.random.default_rng(3)
    corners = np.array(CORNERS)
    drawn = [
        generator.integers(0, 1 << 32, 100_000),
        # Where exponentials are neither 0 nor infinite; subnormals.
        generator.uniform(-105, 90, 100_000).astype(np.float32).view(np.uint32),
        generator.integers(0, 1 << 23, 20_000),
    ]
    return np.concatenate([corners, corners | 1 << 31, *drawn]).astype(np.int64)


@pytest.mark.parametrize(("fast", "general"), PAIRS, ids=lambda function: function.__name__)
def test_same_bits(fast, general):
    bits = patterns()
    values = bits.astype(np.uint32).view(np.float32)
    expected = general(BINARY32, bits)
    found = fast(BINARY32, values)
    assert found.dtype == np.float32
    assert np.array_equal(found.view(np.uint32).astype(np.int64), expected)
    assert fast(BINARY32, values[:6].reshape(2, 3)).shape == (2, 3) and fast(BINARY32, values[0]).shape == ()


@pytest.mark.parametrize(("of_values", "general"), PAIRS, ids=lambda function: function.__name__)
def test_other_formats_go_through_bit_patterns(of_values, general):
    for number_format in (BINARY16, BFLOAT16.flushing()):
        bits = np.arange(1 << 16)
        values = from_bits(number_format, bits)
        expected = general(number_format, to_bits(number_format, values))
        assert np.array_equal(to_bits(number_format, of_values(number_format, values)), expected)
        assert of_values(number_format, values[0]).shape == ()
