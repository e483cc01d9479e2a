"""The integer reference against NumPy's floating point and against exact fractions."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32, FloatFormat
from rewardware.sw.reference.float import arithmetic
from rewardware.sw.reference.float.arithmetic import add, fused_multiply_add, is_nonfinite, multiply, negate, subtract
from tests.hw.cores.float.operands import (
    anything,
    corners,
    extremes,
    near_limits,
    near_opposites,
    near_ties,
    pairs,
    short,
)

from .exact import is_finite, nearest, value_of

HOST = [(BINARY16, np.uint16, np.float16), (BINARY32, np.uint32, np.float32)]
FORMATS = [
    BINARY16,
    BINARY16.flushing(),
    BFLOAT16,
    BINARY32,
    BINARY32.flushing(),
    FloatFormat(exponent_bits=3, fraction_bits=2),
]


def hard_pairs(number_format, count):
    """Corners, random pairs, and those that are hard to round."""
    rng = np.random.default_rng(3)
    a, b = short(rng, number_format, count), anything(rng, number_format, count)
    columns = [
        pairs(corners(number_format)),
        (a, b),
        (b, near_opposites(rng, number_format, b)),
        (a, near_ties(rng, number_format, a)),
        (a, near_limits(rng, number_format, a)),
    ]
    return [np.concatenate(column) for column in zip(*columns, strict=True)]


@pytest.mark.parametrize(("number_format", "integer", "real"), HOST, ids=["binary16", "binary32"])
@pytest.mark.parametrize("operation", ["add", "subtract", "multiply"])
def test_equals_numpy(number_format, integer, real, operation):
    a, b = (column.astype(integer) for column in hard_pairs(number_format, 100_000))
    with np.errstate(all="ignore"):
        host = getattr(np, operation)(a.view(real), b.view(real))
    expected = np.where(np.isnan(host), number_format.quiet_nan, host.view(integer))
    assert (getattr(arithmetic, operation)(number_format, a, b) == expected).all()


def exact_sum(number_format, terms, zeros):
    """The rounded sum of exact numbers; ``zeros``: whether it is -0 if it is zero."""
    return nearest(number_format, sum(terms), negative_zero=zeros)


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_equals_exact_fractions(number_format):
    a, b = hard_pairs(number_format, 2_000)
    chosen = np.random.default_rng(4).choice(len(a), 10_000)
    a, b = a[chosen], b[chosen]
    finite = is_finite(number_format, a) & is_finite(number_format, b)
    a, b = a[finite].tolist(), b[finite].tolist()
    sums, products = [], []
    for left, right in zip(a, b, strict=True):
        signs = [bits & number_format.sign_bit != 0 for bits in (left, right)]
        terms = [value_of(number_format, bits) for bits in (left, right)]
        sums.append(exact_sum(number_format, terms, all(signs)))
        products.append(nearest(number_format, terms[0] * terms[1], negative_zero=signs[0] ^ signs[1]))
    assert add(number_format, a, b).tolist() == sums
    assert subtract(number_format, a, negate(number_format, b)).tolist() == sums
    assert multiply(number_format, a, b).tolist() == products


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_fused_equals_exact_fractions(number_format):
    rng = np.random.default_rng(5)
    count = 40_000
    a = np.where(rng.random(count) < 0.5, anything(rng, number_format, count), short(rng, number_format, count))
    a = np.where(rng.random(count) < 0.2, a & ~np.int64(number_format.infinity), a)
    b = np.where(rng.random(count) < 0.5, short(rng, number_format, count), near_limits(rng, number_format, a))
    product = multiply(number_format, a, b)
    c = np.where(
        rng.random(count) < 0.7, near_opposites(rng, number_format, product), near_ties(rng, number_format, product)
    )
    few = rng.choice(extremes(number_format), (3, 5_000))
    a, b, c = (np.concatenate(columns) for columns in zip((a, b, c), few, strict=True))
    finite = is_finite(number_format, a) & is_finite(number_format, b) & is_finite(number_format, c)
    assert finite.sum() > 20_000
    operands = [column[finite].tolist() for column in (a, b, c)]
    expected = []
    for bits in zip(*operands, strict=True):
        x, y, z = (value_of(number_format, operand) for operand in bits)
        signs = [operand & number_format.sign_bit != 0 for operand in bits]
        expected.append(exact_sum(number_format, [x * y, z], signs[0] ^ signs[1] and signs[2]))
    assert fused_multiply_add(number_format, *operands).tolist() == expected


def test_special_cases_of_fused():
    infinity, minus_infinity, nan = 0x7C00, 0xFC00, 0x7E00
    zero, one, minus_one, signalling = 0, 0x3C00, 0xBC00, 0xFC01
    for a, b, c, expected in [
        (infinity, zero, one, nan),
        (infinity, zero, nan, nan),
        (infinity, one, minus_infinity, nan),
        (infinity, minus_one, minus_infinity, minus_infinity),
        (one, one, minus_infinity, minus_infinity),
        (0x7BFF, 0x7BFF, minus_infinity, minus_infinity),
        (infinity, one, one, infinity),
        (signalling, one, one, nan),
        (one, one, signalling, nan),
    ]:
        assert fused_multiply_add(BINARY16, a, b, c) == expected


def test_nonfinite():
    bits = np.arange(1 << 16)
    assert (is_nonfinite(BINARY16, bits) == ~np.isfinite(bits.astype(np.uint16).view(np.float16))).all()


def test_operands_broadcast():
    assert add(BINARY16, np.zeros((3, 1), np.uint16), np.arange(4)).tolist() == [[0, 1, 2, 3]] * 3
    assert fused_multiply_add(BINARY16, 0x3C00, np.arange(3), 0).tolist() == [0, 1, 2]
