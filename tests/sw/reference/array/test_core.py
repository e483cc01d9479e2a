"""References of operand former, array core and accumulators against exact integers: the sums are the products meant."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardware.hw.cores.array.config import ArrayConfig
from rewardware.sw.reference.array.accumulator import AccumulatorBankReference
from rewardware.sw.reference.array.core import AdaptiveArrayCoreReference
from rewardware.sw.reference.array.operand import form_operands
from tests.hw.cores.stimulus import WORD_CORNERS, mixed

LANES = 6


@pytest.fixture
def rng():
    return np.random.default_rng(3)


def loaded_core(tile, *, transposed):
    core = AdaptiveArrayCoreReference(ArrayConfig(lanes=LANES))
    for index, words in enumerate(tile):
        core.load(index, words, transposed=transposed)
    core.swap()
    return core


@pytest.mark.parametrize("transposed", [False, True])
def test_full_precision_gives_the_exact_product(rng, transposed):
    tile, vectors = mixed(rng, (LANES, LANES), 32, WORD_CORNERS), mixed(rng, (20, LANES), 32, WORD_CORNERS)
    low, high = loaded_core(tile, transposed=transposed).sums(vectors)
    matrix = tile.astype(object) if transposed else tile.T.astype(object)
    assert (high.astype(object) * 2**16 + low == vectors.astype(object) @ matrix).all()


def test_half_precision_gives_two_exact_products(rng):
    tile = mixed(rng, (LANES, LANES), 32, WORD_CORNERS)
    codes = rng.integers(0, 1 << 16, (2, 20, LANES))
    codes[:, :2] = [[[0], [0xFFFF]]]
    for zero_point in (0, 1, 12345, 1 << 16):
        sums = loaded_core(tile, transposed=False).sums(codes[0] | codes[1] << 16, half=True, zero_point=zero_point)
        for got, code in zip(sums, codes, strict=True):
            assert (got == (code - zero_point).astype(object) @ tile.T.astype(object)).all()


def test_constant_is_one_and_disabled_is_zero(rng):
    tile = mixed(rng, (LANES, LANES), 32)
    core = loaded_core(tile, transposed=True)
    low, high = core.sums(mixed(rng, LANES, 32), constant=True)
    assert (high.astype(object) * 2**16 + low == tile.sum(0) * 2**20).all()
    assert not np.any(core.sums(mixed(rng, LANES, 32), enable=False))


def test_accumulators_wrap_at_57_bits():
    bank = AccumulatorBankReference(ArrayConfig(lanes=2, accumulator_depth=4))
    largest = (1 << 56) - 1
    bank.add(1, 3, [largest, 5], [0, -largest - 1], first=True)
    bank.add(1, 3, [1, 6], [0, -1], first=False)
    low, high = bank.drain(1, 3)
    assert low.tolist() == [-(1 << 56), 11] and high.tolist() == [0, largest]
    assert not np.any(bank.drain(0, 3))


@given(st.integers(-(1 << 31), (1 << 31) - 1), st.integers(0, 1 << 16))
def test_operands_are_the_word_or_its_codes(word, zero_point):
    low, high = form_operands(word)
    assert high * 2**16 + low == word and 0 <= low < 1 << 16
    low, high = form_operands(word, half=True, zero_point=zero_point)
    assert low == word % (1 << 16) - zero_point and high == (word >> 16) % (1 << 16) - zero_point
    assert all(-(1 << 16) <= operand < 1 << 16 for operand in (low, high))
