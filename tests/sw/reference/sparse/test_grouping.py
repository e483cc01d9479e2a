"""Maxima against Python's own comparison of exact numbers."""

import struct

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32
from rewardware.sw.reference.sparse.grouping import max_indexes

CORNERS = {
    BINARY16: [0x0000, 0x8000, 0x7C00, 0xFC00, 0x7E00, 0xFE01, 0x0001, 0x8001, 0x03FF, 0x7BFF, 0xFBFF, 0x3C00],
    BINARY32: [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFF800001, 1, 0x80000001, 0x7F7FFFFF, 0x3F800000],
    BFLOAT16: [0, 0x8000, 0x7F80, 0xFF80, 0x7FC0, 0xFF81, 1, 0x8001, 0x3F80],
}


def number(number_format, bits, flush=False):
    """The value as Python's float, which holds every one of these formats exactly."""
    if number_format == BINARY16:
        value = struct.unpack("<e", struct.pack("<H", bits))[0]
    else:
        shift = 32 - number_format.width
        value = struct.unpack("<f", struct.pack("<I", bits << shift))[0]
    return value


def oracle(values):
    """Lowest index of the maximum, NaN counted below -infinity."""
    keys = [(0, 0.0) if value != value else (1, value) for value in values]
    return max(range(len(keys)), key=lambda index: (keys[index], -index))


@pytest.mark.parametrize("number_format", list(CORNERS), ids=str)
@pytest.mark.parametrize("groups", [1, 2, 5, 32])
def test_equals_python(number_format, groups):
    rng = np.random.default_rng(groups)
    shape = groups, 300
    values = rng.integers(0, 1 << number_format.width, shape)
    values = np.where(rng.random(shape) < 0.5, rng.choice(CORNERS[number_format], shape), values)
    values[:, :20] = CORNERS[number_format][4]
    indexes, unordered = max_indexes(number_format, values)
    for feature in range(values.shape[1]):
        exact = [number(number_format, int(bits)) for bits in values[:, feature]]
        assert indexes[feature] == oracle(exact)
        assert unordered[feature] == any(value != value for value in exact)


def test_flushed_subnormals_equal_zero():
    indexes, _ = max_indexes(BINARY16.flushing(), [[0x0000, 0x8000], [0x03FF, 0x0001], [0x83FF, 0x0400]])
    assert indexes.tolist() == [0, 2]
