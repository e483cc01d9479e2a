"""The adder tree's order, written out."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, BINARY32
from rewardware.sw.reference.float import arithmetic, host
from rewardware.sw.reference.float.sums import tree_sum

ORDERS = {
    1: "a",
    2: "a + b",
    3: "(a + b) + c",
    4: "(a + b) + (c + d)",
    5: "((a + b) + (c + d)) + e",
    6: "((a + b) + (c + d)) + (e + f)",
    7: "((a + b) + (c + d)) + ((e + f) + g)",
}


@pytest.mark.parametrize("count", ORDERS)
def test_order(count):
    terms = np.random.default_rng(count).normal(0, 1, (500, count)).astype(np.float32)
    expected = eval(ORDERS[count], dict(zip("abcdefg", terms.T, strict=False)))
    assert (tree_sum(BINARY32, terms) == expected).all()


def test_one_term_keeps_its_sign():
    assert np.signbit(tree_sum(BINARY32, np.array([[-0.0]], np.float32)))[0]


def test_bits_of_another_format():
    rng = np.random.default_rng(3)
    terms = rng.normal(0, 1, (300, 3)).astype(np.float16).astype(np.float32)
    bits = host.to_bits(BINARY16, terms)
    expected = arithmetic.add(BINARY16, arithmetic.add(BINARY16, bits[:, 0], bits[:, 1]), bits[:, 2])
    assert (host.to_bits(BINARY16, tree_sum(BINARY16, terms)) == expected).all()
