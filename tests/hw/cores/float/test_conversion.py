"""Conversions: equality with the reference, exhaustive where there are 16 bits."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import (
    BFLOAT16,
    BINARY16,
    BINARY32,
    MAXIMUM_DEPTH,
    FloatConversionConfig,
    FloatFixedConfig,
    FloatFormat,
)
from rewardware.hw.cores.float.conversion import FixedToFloat, FloatConverter, FloatToFixed
from rewardware.sw.reference.float.arithmetic import is_nonfinite
from rewardware.sw.reference.float.conversion import convert, from_fixed, to_fixed

from .check import check
from .formats import corner_formats
from .operands import anything, corners

NARROW = FloatFormat(exponent_bits=4, fraction_bits=3)
WIDE = FloatFormat(exponent_bits=6, fraction_bits=9)
DEPTHS = range(MAXIMUM_DEPTH + 1)
# In every depth: words as wide as a fraction, wider, narrower.
FIXED = [
    {"format": BINARY16, "width": 32, "fraction": 16},
    {"format": BINARY32, "width": 57, "fraction": 20},
    {"format": NARROW, "width": 5, "fraction": 3},
]
# In one depth: all of the range, only some of the subnormal numbers, beyond infinity.
FIXED_CORNERS = [
    {"format": BINARY16.flushing(), "width": 27, "fraction": 26},
    {"format": BINARY16, "width": 11, "fraction": 22, "signed": False},
    {"format": BINARY16, "width": 13, "fraction": 37},
    {"format": BINARY16, "width": 24, "fraction": 38},
    {"format": BFLOAT16, "width": 60, "fraction": -64, "signed": False},
    {"format": WIDE.flushing(), "width": 2, "fraction": 0},
]
# In every depth: narrower, wider.
FORMATS = [(BINARY32, BINARY16), (BINARY16, BINARY32)]
FORMAT_CORNERS = [
    (BINARY32.flushing(), BINARY16.flushing()),
    (BINARY32, BFLOAT16),
    (BINARY16, BFLOAT16.flushing()),
    (BFLOAT16, BINARY16),
    (BINARY16, WIDE),
    (WIDE, BINARY16.flushing()),
    (BINARY16, NARROW),
    (NARROW, BINARY16),
    (BFLOAT16.flushing(), BFLOAT16),
    (BINARY16, BINARY16.flushing()),
]


def fixed_corners():
    """The listed ones, and for every format words whose range ends near its smallest and its largest numbers."""
    rng = np.random.default_rng(2)
    settings = list(FIXED_CORNERS)
    for number_format in corner_formats((2, 1), (3, 4), (6, 3)):
        width = int(rng.choice([2, 60, rng.integers(3, 60)]))
        # With this fraction the largest word is the smallest normal number.
        fraction = width - 1 + number_format.bias + int(rng.integers(-3, number_format.fraction_bits + 3))
        if rng.integers(0, 3) == 0:
            fraction -= 2 * number_format.bias
        signed = bool(rng.integers(0, 2))
        settings.append(
            {"format": number_format, "width": width, "fraction": int(np.clip(fraction, -64, 64)), "signed": signed}
        )
    return [FloatFixedConfig(**each, depth=index % len(DEPTHS)) for index, each in enumerate(settings)]


def format_corners():
    """The listed ones, and every format as source and as target."""
    formats = corner_formats((2, 1), (3, 4), (6, 3))
    others = np.random.default_rng(2).permutation(len(formats))
    couples = [*FORMAT_CORNERS, *((formats[index], formats[other]) for index, other in enumerate(others))]
    # The next larger exponent, the fraction as long: all subnormal numbers become normal ones, or nearly all.
    couples += [
        (FloatFormat(exponent_bits=2, fraction_bits=23), FloatFormat(exponent_bits=3, fraction_bits=9).flushing()),
        (FloatFormat(exponent_bits=3, fraction_bits=22), FloatFormat(exponent_bits=4, fraction_bits=2)),
    ]
    return [
        FloatConversionConfig(source=source, target=target, depth=index % len(DEPTHS))
        for index, (source, target) in enumerate(couples)
    ]


def patterns(number_format):
    """All the bit patterns, or corners, many random ones and subnormal numbers of any magnitude."""
    if number_format.width <= 16:
        return np.arange(1 << number_format.width)
    rng = np.random.default_rng(1)
    fractions = rng.integers(0, number_format.smallest_normal, 50_000)
    small = fractions >> rng.integers(0, number_format.fraction_bits, len(fractions))
    signs = rng.integers(0, 2, len(small)) * number_format.sign_bit
    return np.concatenate([corners(number_format), anything(rng, number_format, 150_000), small | signs])


def words(fixed):
    """Words of every magnitude, at the ends of the range, and around the powers of two."""
    rng = np.random.default_rng(1)
    random = rng.integers(fixed.minimum, fixed.maximum, 50_000, endpoint=True)
    random = np.concatenate([random, random >> rng.integers(0, fixed.width, len(random))])
    powers = np.array([1 << place for place in range(fixed.width)])
    near = [sign * powers + step for sign in (1, -1) for step in range(-2, 3)]
    return np.clip(np.concatenate([random, *near]), fixed.minimum, fixed.maximum)


def from_fixed_column(config):
    values = words(config.fixed)
    expected = from_fixed(config.format, config.fixed, values)
    return {"word": values}, {"result": expected, "nonfinite": is_nonfinite(config.format, expected)}


def to_fixed_column(config):
    bits = patterns(config.format)
    expected, saturated = to_fixed(config.format, config.fixed, bits)
    assert saturated.any() and not saturated.all()
    return {"a": bits}, {"word": expected, "saturated": saturated}


def converted_column(config):
    bits = patterns(config.source)
    expected = convert(config.source, config.target, bits)
    return {"a": bits}, {"result": expected, "nonfinite": is_nonfinite(config.target, expected)}


def name(settings):
    return f"{settings['format']}-{settings['width']}-{settings['fraction']}"


@pytest.mark.parametrize("settings", FIXED, ids=name)
def test_from_fixed(settings):
    configs = [FloatFixedConfig(**settings, depth=depth) for depth in DEPTHS]
    check(FixedToFloat, configs, [from_fixed_column(configs[0])] * len(configs))


@pytest.mark.parametrize("settings", FIXED, ids=name)
def test_to_fixed(settings):
    configs = [FloatFixedConfig(**settings, depth=depth) for depth in DEPTHS]
    check(FloatToFixed, configs, [to_fixed_column(configs[0])] * len(configs))


@pytest.mark.parametrize(("source", "target"), FORMATS, ids=str)
def test_between_formats(source, target):
    configs = [FloatConversionConfig(source=source, target=target, depth=depth) for depth in DEPTHS]
    check(FloatConverter, configs, [converted_column(configs[0])] * len(configs))


def test_from_fixed_in_corners():
    configs = fixed_corners()
    check(FixedToFloat, configs, [from_fixed_column(config) for config in configs])


def test_to_fixed_in_corners():
    configs = fixed_corners()
    check(FloatToFixed, configs, [to_fixed_column(config) for config in configs])


def test_between_formats_in_corners():
    configs = format_corners()
    check(FloatConverter, configs, [converted_column(config) for config in configs])
