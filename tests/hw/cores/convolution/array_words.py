"""Words of a systolic array, integers or floating point: random ones, and products of matrices, in NumPy."""

import numpy as np

from rewardware.sw.reference.float import host
from rewardware.sw.reference.float.arithmetic import add, is_nonfinite, multiply
from tests.hw.cores.layer.stimulus import numbers
from tests.hw.cores.stimulus import mixed


def operands(array, rng, shape, width):
    """Words of an operand: integers of any size, or bits of numbers, of which few are not finite."""
    if array.format is None:
        return mixed(rng, shape, width)
    bits = host.to_bits(array.format, numbers(rng, array.format, *shape))
    special = rng.choice([array.format.infinity, array.format.quiet_nan, array.format.largest], shape)
    sign = rng.choice([0, array.format.sign_bit], shape)
    return signed_words(array, np.where(rng.random(shape) < 0.001, special | sign, bits))


def most_negative(array, width):
    """The most negative word of an operand."""
    if array.format is None:
        return -(1 << width - 1)
    return int(signed_words(array, array.format.largest | array.format.sign_bit))


def near_limits(array, distances):
    """Sums so many numbers away from the largest, and from its negative."""
    if array.format is None:
        largest = (1 << array.sum_width - 1) - 1
        return largest - distances, distances - largest
    words = array.format.largest - distances
    return words, signed_words(array, words | array.format.sign_bit)


def signed_words(array, bits):
    """Bit patterns as the signed words that ports have."""
    half = 1 << array.sum_width - 1
    return (np.asarray(bits, np.int64) & 2 * half - 1 ^ half) - half


def matrix_product(array, left, right):
    """Sums of a pass: exact, or of floating point each product and each sum rounded, in the order of the products."""
    if array.format is None:
        return left @ right
    mask, total = (1 << array.sum_width) - 1, np.zeros((len(left), right.shape[1]), np.int64)
    for product in range(len(right)):
        products = multiply(array.format, left[:, product, None] & mask, right[product] & mask)
        total = add(array.format, total, products)
    return signed_words(array, total)


def add_sums(array, before, part):
    """Sums in the accumulators after an addition, and whether one overflows."""
    if array.format is None:
        limit = 1 << array.sum_width - 1
        total = before + part
        clipped = np.clip(total, -limit, limit - 1)
        return clipped, bool((clipped != total).any())
    mask = (1 << array.sum_width) - 1
    total = add(array.format, before & mask, part & mask)
    return signed_words(array, total), bool(is_nonfinite(array.format, total).any())
