"""The fast path against the integer reference."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32, FloatFormat
from rewardware.sw.reference.float import arithmetic, comparison, host
from tests.hw.cores.float.operands import anything, corners, near_limits, near_opposites, near_ties, pairs, short

FORMATS = [
    BINARY16,
    BINARY16.flushing(),
    BFLOAT16,
    BFLOAT16.flushing(),
    BINARY32,
    BINARY32.flushing(),
    FloatFormat(exponent_bits=6, fraction_bits=9),
    FloatFormat(exponent_bits=4, fraction_bits=3).flushing(),
]


def no_subnormals(number_format, bits):
    """Numbers of the format, on which the host's arithmetic is defined."""
    flushed = (bits & number_format.infinity == 0) & (not number_format.gradual)
    return np.where(flushed, bits & number_format.sign_bit, bits)


def hard(number_format, count):
    rng = np.random.default_rng(8)
    values = [anything(rng, number_format, count), short(rng, number_format, count)]
    near = [f(rng, number_format, column) for f in (near_opposites, near_ties, near_limits) for column in values]
    a = np.concatenate([values[0], *[column for _ in range(3) for column in values], pairs(corners(number_format))[0]])
    b = np.concatenate([values[1], *near, pairs(corners(number_format))[1]])
    return no_subnormals(number_format, a), no_subnormals(number_format, b)


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
@pytest.mark.parametrize("operation", ["add", "subtract", "multiply"])
def test_equals_integers(number_format, operation):
    # Millions for the format that training uses.
    a, b = hard(number_format, 300_000 if number_format == BINARY16 else 20_000)
    values = [host.from_bits(number_format, column) for column in (a, b)]
    got = host.to_bits(number_format, getattr(host, operation)(number_format, *values))
    assert (got == getattr(arithmetic, operation)(number_format, a, b)).all()


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_maximum_equals_integers(number_format):
    a, b = hard(number_format, 20_000)
    a, b = np.concatenate([a, b, a, a]), np.concatenate([b, a, a, a ^ number_format.sign_bit])
    values = [host.from_bits(number_format, column) for column in (a, b)]
    got = host.to_bits(number_format, host.maximum(number_format, *values))
    assert (got == comparison.maximum(number_format, a, b)).all()


@pytest.mark.parametrize("number_format", [BINARY16, BFLOAT16, BINARY32], ids=str)
def test_a_single_number_is_rounded_as_one_of_many(number_format):
    values = host.from_bits(number_format, np.array([1, number_format.one + 1, number_format.largest]))
    for value in values:
        product = host.multiply(number_format, value, values[1])
        assert product.shape == () and product == host.multiply(number_format, values[values == value], values[1])[0]


def test_binary32_is_the_hosts_own():
    assert host.working_type(BINARY32) == np.float32
    assert host.working_type(BINARY32.flushing()) == np.float64
    values = np.array([1e-45, -0.0, 3.0], np.float32)
    assert host.round_to(BINARY32, values) is values
    copy = np.empty_like(values)
    assert host.round_to(BINARY32, values, out=copy) is copy and (copy == values).all()


@pytest.mark.parametrize("number_format", [BINARY16, BINARY16.flushing()], ids=str)
def test_fused_equals_integers(number_format):
    a, b = hard(number_format, 200_000)
    rng = np.random.default_rng(9)
    product = arithmetic.multiply(number_format, a, b)
    c = np.where(
        rng.random(len(a)) < 0.5, near_opposites(rng, number_format, product), near_ties(rng, number_format, product)
    )
    c = no_subnormals(number_format, c)
    values = [host.from_bits(number_format, column) for column in (a, b, c)]
    got = host.to_bits(number_format, host.fused_multiply_add(number_format, *values))
    assert (got == arithmetic.fused_multiply_add(number_format, a, b, c)).all()


def test_fused_is_refused_where_it_would_be_wrong():
    with pytest.raises(ValueError, match="^Format must be no larger than binary16, not bfloat16$"):
        host.fused_multiply_add(BFLOAT16, *np.zeros((3, 1)))


def test_rounds_in_place():
    values = np.array([1 + 2**-11, 1 + 3 * 2**-11, -70000.0, -1e-9], np.float32)
    assert host.round_to(BINARY16, values, out=values) is values
    assert values.tolist() == [1, 1 + 2**-9, -np.inf, 0] and np.signbit(values[3])
