"""Formats and configurations: their numbers, and what they refuse."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import (
    BFLOAT16,
    BINARY16,
    BINARY32,
    FORMATS,
    FloatConfig,
    FloatConversionConfig,
    FloatFixedConfig,
    FloatFormat,
    find_format,
)


@pytest.mark.parametrize(("number_format", "kind"), [(BINARY16, np.float16), (BINARY32, np.float32)])
def test_nearest_is_numpys(number_format, kind):
    """Ties, a carry into the next exponent, the largest and the smallest number among them."""
    numbers = [0.01, 1.0, 3**-0.5, 2 - 2**-30, 1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-24, float(np.finfo(kind).max)]
    numbers.append(float(np.finfo(kind).tiny))
    for number in numbers:
        assert number_format.nearest(number) == int(kind(number).view(f"uint{number_format.width}"))


@pytest.mark.parametrize("number", [0, -1.0, 65536.0, 2.0**-16, float("nan"), float("inf")])
def test_nearest_refuses(number):
    with pytest.raises(ValueError, match="^Number must be positive and normal as binary16, not "):
        BINARY16.nearest(number)


def test_formats():
    assert [number_format.width for number_format in (BINARY16, BFLOAT16, BINARY32)] == [16, 16, 32]
    assert [number_format.bias for number_format in (BINARY16, BFLOAT16, BINARY32)] == [15, 127, 127]
    assert BINARY16.precision == 11 and BINARY16.exponent_ones == 31
    assert BINARY16.one == 0x3C00 and BINARY16.infinity == 0x7C00 and BINARY16.quiet_nan == 0x7E00
    assert BINARY16.largest == 0x7BFF and BINARY16.smallest_normal == 0x0400 and BINARY16.sign_bit == 0x8000
    assert BINARY16.gradual and not BINARY16.flushing().gradual
    assert BINARY16.flushing() != BINARY16 == FloatFormat(exponent_bits=5, fraction_bits=10)
    assert str(BINARY32.flushing()) == "binary32, subnormals flushed"
    assert str(FloatFormat(exponent_bits=4, fraction_bits=3)) == "float with 4 exponent and 3 fraction bits"


def test_formats_have_names():
    assert find_format("bfloat16") is BFLOAT16 and find_format(BINARY16) is BINARY16
    assert FloatConfig(format="binary16_flush") == FloatConfig(format=BINARY16.flushing())
    assert list(FORMATS)[:2] == ["binary16", "binary16_flush"]
    assert FloatConversionConfig(source="binary32", target="bfloat16").target is BFLOAT16
    assert FloatFixedConfig(width=9, fraction=3, signed=False).fixed.maximum == 511


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: FloatFormat(exponent_bits=9, fraction_bits=3), ValueError, "Exponent bits must be from 2 to 8, not 9"),
        (
            lambda: FloatFormat(exponent_bits=5, fraction_bits=0),
            ValueError,
            "Fraction bits must be from 1 to 23, not 0",
        ),
        (
            lambda: FloatFormat(exponent_bits=5, fraction_bits=10, subnormals="none"),
            ValueError,
            "Subnormals must be gradual or flush, not 'none'",
        ),
        (
            lambda: FloatFormat(exponent_bits=5, fraction_bits=10, subnormals=True),
            TypeError,
            "Subnormals must be a text, not True",
        ),
        (lambda: FloatFormat(exponent_bits=5, fraction_bits=10, name=1), TypeError, "Name must be a text, not 1"),
        (
            lambda: FloatConfig(format="half"),
            ValueError,
            "Format must be one of binary16, binary16_flush, .*, not 'half'",
        ),
        (lambda: FloatConfig(format=16), TypeError, "Format must be a FloatFormat or a name, not 16"),
        (lambda: FloatConfig(depth=8), ValueError, "Depth must be from 0 to 7, not 8"),
        (lambda: FloatConfig(depth=2.0), TypeError, "Depth must be an integer, not 2.0"),
        (lambda: FloatConversionConfig(depth=-1), ValueError, "Depth must be from 0 to 7, not -1"),
        (lambda: FloatFixedConfig(width=61), ValueError, "Width must be from 2 to 60, not 61"),
        (lambda: FloatFixedConfig(fraction=65), ValueError, "Fraction must be from -64 to 64, not 65"),
        (lambda: FloatFixedConfig(signed=1), TypeError, "Signed must be a truth value, not 1"),
    ],
)
def test_refuses(make, error, message):
    with pytest.raises(error, match=f"^{message}$"):
        make()
