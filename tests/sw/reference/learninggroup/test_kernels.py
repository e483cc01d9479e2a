"""The compiled loops against the integer reference of binary16, one operation after another."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16
from rewardware.sw.reference.float import arithmetic as integers
from rewardware.sw.reference.learninggroup.arithmetic import ARITHMETICS
from rewardware.sw.reference.learninggroup.kernels import round_to_half

HALF = ARITHMETICS["binary16"]
EVERY = np.arange(1 << 16).astype(np.uint16)


def to_numbers(bits):
    return np.asarray(bits, np.uint16).view(np.float16).astype(np.float32)


def to_bits(numbers):
    """Bit patterns of binary16; every NaN is the canonical one."""
    bits = np.asarray(numbers).astype(np.float16).view(np.uint16).astype(np.int64)
    return np.where(np.isnan(numbers), BINARY16.quiet_nan, bits)


def random_bits(generator, *shape):
    """Bits of numbers of all magnitudes, a few of them zeros, infinities, NaN."""
    return generator.integers(0, 1 << 16, shape, dtype=np.uint16)


def moderate_bits(generator, *shape):
    return generator.normal(size=shape).astype(np.float16).view(np.uint16)


def test_rounding_is_to_the_nearest_with_ties_to_even():
    generator = np.random.default_rng(0)
    finite = to_numbers(EVERY[(EVERY & 0x7FFF) < 0x7C00]).astype(np.float64)
    above = np.sort(finite)
    middles = ((above[1:] + above[:-1]) / 2).astype(np.float32)
    numbers = np.concatenate([
        to_numbers(EVERY), middles, np.nextafter(middles, np.float32(9e9)), np.nextafter(middles, np.float32(-9e9)),
        np.float32([65519.99, 65520, 65536, 1e9, 1e-9, -1e-9, 0, -0.0]),
        generator.integers(0, 1 << 32, 1 << 20, dtype=np.uint32).view(np.float32),
    ])  # fmt: skip
    with np.errstate(all="ignore"):
        expected = numbers.astype(np.float16)
        rounded = round_to_half(numbers)
    same = (rounded == expected) & (np.signbit(rounded) == np.signbit(expected))
    assert (same | np.isnan(rounded) & np.isnan(expected)).all()


@pytest.mark.parametrize("name", ["add", "multiply"])
def test_operations_are_those_of_the_integer_reference(name):
    generator = np.random.default_rng(1)
    corners = np.concatenate(
        [EVERY[::517], [0, 1, 0x3FF, 0x400, 0x7BFF, 0x7C00, 0x7E00, 0x8000, 0x8001, 0xFBFF, 0xFC00]]
    )
    a = np.concatenate([np.repeat(corners, len(corners)), random_bits(generator, 1 << 19)])
    b = np.concatenate([np.tile(corners, len(corners)), random_bits(generator, 1 << 19)])
    result = getattr(HALF, name)(to_numbers(a), to_numbers(b))
    assert np.array_equal(to_bits(result), getattr(integers, name)(BINARY16, a, b))


@pytest.mark.parametrize("draw", [moderate_bits, random_bits])
def test_products_are_summed_in_order(draw):
    generator = np.random.default_rng(2)
    x, weights = draw(generator, 9, 13), draw(generator, 9, 4)
    inner, outer = (np.array([8, 2, 5, 3]), np.array([0, 1, 4])), (np.array([3, 0, 2]), np.array([0, 1, 3]))
    result = HALF.products(to_numbers(x), to_numbers(weights), inner, outer)
    expected = np.zeros((4, 13), np.int64)
    for rows, columns in (([8], [3]), ([2, 5, 3], [0, 2])):
        for column in columns:
            for row in rows:
                product = integers.multiply(BINARY16, x[row], weights[row, column])
                expected[column] = integers.add(BINARY16, expected[column], product)
    assert np.array_equal(to_bits(result), expected)


@pytest.mark.parametrize("draw", [moderate_bits, random_bits])
def test_outer_sums_add_lanes_neighbours_first(draw):
    generator = np.random.default_rng(3)
    x, d = draw(generator, 3, 5, 8), draw(generator, 3, 4, 8)
    labels = np.array([0, 1, 1, 2, 0]), np.array([1, 0, 3, 1])
    result = HALF.outer_sums(to_numbers(x), to_numbers(d), *labels)
    expected = np.zeros((5, 4), np.int64)
    for row, column in np.argwhere(labels[0][:, np.newaxis] == labels[1]):
        lanes = np.zeros(8, np.int64)
        for k in range(3):
            lanes = integers.add(BINARY16, lanes, integers.multiply(BINARY16, x[k, row], d[k, column]))
        while len(lanes) > 1:
            lanes = integers.add(BINARY16, lanes[::2], lanes[1::2])
        expected[row, column] = lanes[0]
    assert np.array_equal(to_bits(result), expected)


def test_labelled_sums_are_in_order():
    generator = np.random.default_rng(4)
    terms, labels = moderate_bits(generator, 6, 20), generator.integers(0, 3, 20)
    result = HALF.labelled_sums(to_numbers(terms), labels, 4)
    expected = np.zeros((6, 4), np.int64)
    for index, label in enumerate(labels):
        expected[:, label] = integers.add(BINARY16, expected[:, label], terms[:, index])
    assert np.array_equal(to_bits(result), expected)


@pytest.mark.parametrize("name", ["sigmoid", "tanh", "exponential", "reciprocal", "square_root"])
def test_functions_of_all_arithmetics_agree(name):
    numbers = np.linspace(0.05, 4, 1000).astype(np.float16)
    expected = getattr(ARITHMETICS["binary64"], name)(numbers.astype(np.float64))
    for other, unit in (("binary32", 2.0**-23), ("binary16", 2.0**-10)):
        result = getattr(ARITHMETICS[other], name)(numbers.astype(np.float32))
        np.testing.assert_allclose(result, expected, rtol=2 * unit)
