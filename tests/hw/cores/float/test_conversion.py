"""Conversions: equality with the reference, exhaustive where there are 16 bits."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import (
    BFLOAT16,
    BINARY16,
    BINARY32,
    FloatConversionConfig,
    FloatFixedConfig,
    FloatFormat,
)
from rewardware.hw.cores.float.conversion import FixedToFloat, FloatConverter, FloatToFixed
from rewardware.sw.reference.float.arithmetic import is_nonfinite
from rewardware.sw.reference.float.conversion import convert, from_fixed, to_fixed

from .check import check
from .operands import anything, corners

NARROW = FloatFormat(exponent_bits=4, fraction_bits=3)
WIDE = FloatFormat(exponent_bits=6, fraction_bits=9)
# Words as wide as a fraction, wider, narrower; all of the range, only subnormal numbers, and beyond infinity.
FIXED = [
    {"format": BINARY16, "width": 32, "fraction": 16},
    {"format": BINARY16.flushing(), "width": 27, "fraction": 26},
    {"format": BINARY16, "width": 11, "fraction": 22, "signed": False},
    {"format": BINARY16, "width": 13, "fraction": 37},
    {"format": BINARY32, "width": 57, "fraction": 20},
    {"format": BFLOAT16, "width": 60, "fraction": -64, "signed": False},
    {"format": NARROW, "width": 5, "fraction": 3},
    {"format": WIDE.flushing(), "width": 2, "fraction": 0},
]
FORMATS = [
    (BINARY32, BINARY16),
    (BINARY32.flushing(), BINARY16.flushing()),
    (BINARY32, BFLOAT16),
    (BINARY16, BINARY32),
    (BINARY16, BFLOAT16.flushing()),
    (BFLOAT16, BINARY16),
    (BINARY16, WIDE),
    (WIDE, BINARY16.flushing()),
    (BINARY16, NARROW),
    (NARROW, BINARY16),
    (BFLOAT16.flushing(), BFLOAT16),
    (BINARY16, BINARY16.flushing()),
]


def patterns(number_format):
    """All the bit patterns, or corners and many random ones."""
    if number_format.width <= 16:
        return np.arange(1 << number_format.width)
    return np.concatenate([corners(number_format), anything(np.random.default_rng(1), number_format, 200_000)])


def words(fixed):
    """Words of every magnitude, at the ends of the range, and around the powers of two."""
    rng = np.random.default_rng(1)
    random = rng.integers(fixed.minimum, fixed.maximum, 50_000, endpoint=True)
    random = np.concatenate([random, random >> rng.integers(0, fixed.width, len(random))])
    powers = np.array([1 << place for place in range(fixed.width)])
    near = [sign * powers + step for sign in (1, -1) for step in range(-2, 3)]
    return np.clip(np.concatenate([random, *near]), fixed.minimum, fixed.maximum)


def name(settings):
    return f"{settings['format']}-{settings['width']}-{settings['fraction']}"


@pytest.mark.parametrize("settings", FIXED, ids=name)
def test_from_fixed(settings):
    config = FloatFixedConfig(**settings)
    values = words(config.fixed)
    expected = from_fixed(config.format, config.fixed, values)
    expected = {"result": expected, "nonfinite": is_nonfinite(config.format, expected)}
    check(FixedToFloat, FloatFixedConfig, settings, {"word": values}, expected)


@pytest.mark.parametrize("settings", FIXED, ids=name)
def test_to_fixed(settings):
    config = FloatFixedConfig(**settings)
    bits = patterns(config.format)
    expected, saturated = to_fixed(config.format, config.fixed, bits)
    assert saturated.any() and not saturated.all()
    check(FloatToFixed, FloatFixedConfig, settings, {"a": bits}, {"word": expected, "saturated": saturated})


@pytest.mark.parametrize(("source", "target"), FORMATS, ids=str)
def test_between_formats(source, target):
    bits = patterns(source)
    expected = convert(source, target, bits)
    expected = {"result": expected, "nonfinite": is_nonfinite(target, expected)}
    check(FloatConverter, FloatConversionConfig, {"source": source, "target": target}, {"a": bits}, expected)
