"""Operands for floating-point tests, after the classes of TestFloat: corners, random ones, and those hard to round."""

import numpy as np

SIGNS = (0, 1)


def corners(number_format, *, fractions=None):
    """Bit patterns: both signs, exponents at the ends and around 1, fractions with a single one, or all but a few."""
    ones, bias, bits = number_format.exponent_ones, number_format.bias, number_format.fraction_bits
    exponents = {0, 1, 2, bias - bits - 1, bias - bits, bias - 1, bias, bias + 1, bias + bits, bias + bits + 1}
    exponents |= {ones - 2, ones - 1, ones}
    full = (1 << bits) - 1
    if fractions is None:
        fractions = {0, 1, 2, 3, full, full - 1, full >> 1}
        fractions |= {1 << place for place in range(bits)} | {full ^ 1 << place for place in range(bits)}
    return np.array(
        sorted(
            sign << number_format.width - 1 | exponent << bits | fraction
            for sign in SIGNS
            for exponent in exponents
            if 0 <= exponent <= ones
            for fraction in fractions
            if 0 <= fraction <= full
        ),
        np.int64,
    )


def extremes(number_format):
    """Fewer corners: zeros, the ends of the subnormal and normal numbers, 1 and its neighbours, infinities, NaN."""
    one, normal, largest = number_format.one, number_format.smallest_normal, number_format.largest
    positive = [0, 1, 2, normal - 1, normal, normal + 1, one - 1, one, one + 1, one + normal, largest - 1, largest]
    positive += [
        number_format.infinity,
        number_format.infinity + 1,
        number_format.quiet_nan,
        number_format.sign_bit - 1,
    ]
    return np.array([sign | bits for bits in positive for sign in (0, number_format.sign_bit)], np.int64)


def pairs(values):
    """Every value with every value."""
    return [column.ravel() for column in np.meshgrid(values, values, indexing="ij")]


def all_tuples(number_format, count):
    """Every tuple of ``count`` numbers of a short format, None if they are too many."""
    if count * number_format.width > 18:
        return None
    index = np.arange(1 << count * number_format.width)
    return [index >> place * number_format.width & (1 << number_format.width) - 1 for place in range(count)]


def join(*parts):
    """Columns of operands one after the other."""
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]


def anything(rng, number_format, count):
    """Bit patterns, all equally likely."""
    return rng.integers(0, 1 << number_format.width, count)


def short(rng, number_format, count):
    """Numbers with few significant bits, whose sums and products often lie halfway between two numbers."""
    cut = rng.integers(0, number_format.fraction_bits + 1, count)
    return anything(rng, number_format, count) >> cut << cut


def near_opposites(rng, number_format, values):
    """For each value one of about the same magnitude: what is left of their sum or difference is little."""
    distance = rng.integers(-3, 4, len(values)) << rng.integers(0, number_format.fraction_bits + 2, len(values))
    sign = rng.integers(0, 2, len(values)) * number_format.sign_bit
    return ((values + distance) ^ sign) & (1 << number_format.width) - 1


def near_ties(rng, number_format, values):
    """For each value one that adds about half of its last place."""
    bits = number_format.fraction_bits
    exponent = (values >> bits & number_format.exponent_ones) - bits - 1 + rng.integers(-1, 2, len(values))
    fraction = rng.choice([0, 0, 1, (1 << bits) - 1, 1 << bits - 1], len(values))
    sign = rng.integers(0, 2, len(values)) << number_format.width - 1
    return sign | np.clip(exponent, 0, number_format.exponent_ones) << bits | fraction


def aligned(rng, number_format, values):
    """For each value one whose exponent is at any distance at which their sum has bits of both, or nearly."""
    bits = number_format.fraction_bits
    exponent = (values >> bits & number_format.exponent_ones) + rng.integers(-2 * bits - 4, 2 * bits + 5, len(values))
    fraction = short(rng, number_format, len(values)) & (1 << bits) - 1
    sign = rng.integers(0, 2, len(values)) << number_format.width - 1
    return sign | np.clip(exponent, 0, number_format.exponent_ones - 1) << bits | fraction


def near_limits(rng, number_format, values):
    """For each value a factor that brings the product to an end of the range of the normal numbers."""
    bits, bias, ones = number_format.fraction_bits, number_format.bias, number_format.exponent_ones
    wanted = rng.choice([bias + 1, bias + ones - 1], len(values)) + rng.integers(-bits - 3, 4, len(values))
    exponent = np.clip(wanted - (values >> bits & ones), 0, ones)
    return short(rng, number_format, len(values)) & ~np.int64(number_format.infinity) | exponent << bits
