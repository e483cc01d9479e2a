"""Exact products, against Python's integers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rewardware.sw.reference.matrix import Operand, product, product_high

WORD = 1 << 31


def exact(left, right):
    return left.astype(object) @ right.astype(object)


@settings(max_examples=60)
@given(
    shape=st.tuples(st.integers(1, 5), st.integers(1, 40), st.integers(1, 5)),
    widths=st.tuples(st.integers(1, 31), st.integers(1, 31)),
    seed=st.integers(0, 1 << 32),
)
def test_product_high_is_the_floor_of_the_exact_sum(shape, widths, seed):
    generator = np.random.default_rng(seed)
    rows, depth, columns = shape
    left = generator.integers(-(1 << widths[0]), 1 << widths[0], (rows, depth))
    right = generator.integers(-(1 << widths[1]), 1 << widths[1], (depth, columns))
    got = product_high(Operand(left), Operand(right))
    assert (got.astype(object) == exact(left, right) >> 16).all()


@pytest.mark.parametrize("corner", [-WORD, WORD - 1, -1, 0, 1])
@pytest.mark.parametrize("other", [-WORD, WORD - 1, -1, 1])
def test_corners_of_the_deepest_contraction(corner, other):
    left = np.full((2, 512), corner)
    right = np.full((512, 3), other)
    assert (product_high(Operand(left), Operand(right)).astype(object) == exact(left, right) >> 16).all()


@pytest.mark.parametrize("code", [-(1 << 16), (1 << 16) - 1, 1])
def test_codes_with_the_largest_words(code):
    left = np.full((2, 512), code)
    right = np.full((512, 2), -WORD)
    right[:, 1] = WORD - 1
    assert (product(Operand(left), Operand(right)).astype(object) == exact(left, right)).all()


def test_one_float_product_where_the_sums_allow_it():
    class Counting(np.ndarray):
        products = 0

        def __matmul__(self, other):
            Counting.products += 1
            return np.asarray(self) @ np.asarray(other)

    left = Operand(np.full((4, 100), 1 << 20))
    left._real = left.words.astype(np.float64).view(Counting)
    product_high(left, Operand(np.full((100, 4), 1 << 20)))
    assert Counting.products == 1


def test_transposed_shares_what_is_known():
    words = np.arange(-10, 14).reshape(4, 6)
    operand = Operand(words)
    assert (operand.norm(0), operand.norm(1)) == (26, 63)
    assert (operand.transposed.norm(1), operand.transposed.norm(0)) == (26, 63)
    assert (operand.transposed.real == words.T).all()
    assert operand.transposed.peak == 13
