"""Conversions against NumPy's, and against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

from rewardware.hw.cores.fixed.format import FixedFormat
from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32, FloatFormat
from rewardware.sw.reference.float.conversion import convert, from_fixed, from_numbers, to_fixed, to_numbers
from tests.hw.cores.float.operands import anything, corners

from .exact import is_finite, nearest, value_of

NARROW = FloatFormat(exponent_bits=4, fraction_bits=3)
FORMATS = [BINARY16, BINARY16.flushing(), BFLOAT16, BINARY32, NARROW]
FIXED = [
    FixedFormat(width=32, fraction=16),
    FixedFormat(width=9, fraction=12, signed=False),
    FixedFormat(width=60, fraction=20),
    FixedFormat(width=2, fraction=-3),
]


def some(number_format, count=3_000):
    rng = np.random.default_rng(6)
    return np.concatenate([corners(number_format), anything(rng, number_format, count)])


def test_equals_numpy():
    bits = some(BINARY32, 200_000).astype(np.uint32)
    with np.errstate(all="ignore"):
        host = bits.view(np.float32).astype(np.float16)
    expected = np.where(np.isnan(host), BINARY16.quiet_nan, host.view(np.uint16))
    assert (convert(BINARY32, BINARY16, bits) == expected).all()
    halves = np.arange(1 << 16, dtype=np.uint16)
    host = halves.view(np.float16).astype(np.float32)
    expected = np.where(np.isnan(host), BINARY32.quiet_nan, host.view(np.uint32))
    assert (convert(BINARY16, BINARY32, halves) == expected).all()
    number = np.isfinite(host)
    assert (to_numbers(BINARY16, halves)[number] == host[number]).all()
    assert (from_numbers(BINARY16, host)[number] == halves[number]).all()


@pytest.mark.parametrize("target", FORMATS, ids=str)
@pytest.mark.parametrize("source", FORMATS, ids=str)
def test_between_formats(source, target):
    bits = some(source)
    bits = bits[is_finite(source, bits)].tolist()
    expected = [
        nearest(target, value_of(source, number), negative_zero=number & source.sign_bit != 0) for number in bits
    ]
    assert convert(source, target, bits).tolist() == expected
    assert from_numbers(target, to_numbers(source, bits)).tolist() == expected


def test_special_numbers():
    assert convert(BINARY16, BFLOAT16, [0x7C00, 0xFC00, 0xFC01, 0x7FFF]).tolist() == [0x7F80, 0xFF80, 0x7FC0, 0x7FC0]
    assert from_numbers(BINARY16, [np.inf, -np.inf, np.nan, 1e9]).tolist() == [0x7C00, 0xFC00, 0x7E00, 0x7C00]
    assert np.isnan(to_numbers(BINARY16, 0x7E00)) and to_numbers(BINARY16, 0xFC00) == -np.inf


@pytest.mark.parametrize("fixed", FIXED, ids=str)
@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_fixed_point(number_format, fixed):
    rng = np.random.default_rng(7)
    words = rng.integers(fixed.minimum, fixed.maximum, 2_000, endpoint=True) >> rng.integers(0, fixed.width, 2_000)
    words = [*words.tolist(), fixed.minimum, fixed.maximum]
    unit = Fraction(2) ** -fixed.fraction
    assert from_fixed(number_format, fixed, words).tolist() == [nearest(number_format, word * unit) for word in words]
    bits = some(number_format)
    bits = bits[is_finite(number_format, bits)].tolist()
    exact = [round(value_of(number_format, number) / unit) for number in bits]
    got, saturated = to_fixed(number_format, fixed, bits)
    assert got.tolist() == [min(max(word, fixed.minimum), fixed.maximum) for word in exact]
    assert saturated.tolist() == [not fixed.minimum <= word <= fixed.maximum for word in exact]


def test_special_numbers_to_fixed_point():
    words, saturated = to_fixed(BINARY16, FixedFormat(width=8, fraction=0), [0x7C00, 0xFC00, 0x7E00, 0xFE01])
    assert words.tolist() == [127, -128, 0, 0] and saturated.all()
