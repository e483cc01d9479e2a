"""The loops whose order is part of the numbers, compiled: sums one after another, vectorised over vectors.

Numbers are float32 or float64. With ``half`` they are binary16 numbers held as float32: every product and every sum is
rounded to binary16. That is one correct rounding: a product of two 11-bit significands is exact in 24 bits, and a sum
rounded to 24 bits and then to 11 is the sum rounded to 11 (24 >= 2 * 11 + 2).
"""

import numba
import numpy as np
from numpy.typing import NDArray

from ..arrays import IntegerArray, ValueArray

__all__ = ["grouped_products", "labelled_sums", "outer_sums", "round_to_half"]

# Exponent field of the smallest normal number of binary16 in a float32.
_LEAST = np.int32((127 - 14) << 23)
_EXPONENT = np.int32(0x7F800000)
# Added to and subtracted from x, 1.5 * 2**(exponent of x + 13) leaves the 11 bits of x that binary16 has.
_ABOVE = np.int32(13 << 23)
_ONE_AND_A_HALF = np.int32(1 << 22)
# From here on the nearest is infinity.
_LIMIT = np.float32(65520)
_INFINITY = np.float32(np.inf)
_COLUMNS = 16


@numba.njit(inline="always")
def _rounded(x: np.float32) -> np.float32:
    """A float32 rounded to binary16, ties to even; zeros lose their sign."""
    exponent = max(np.float32(x).view(np.int32) & _EXPONENT, _LEAST)
    magic = np.int32((exponent + _ABOVE) | _ONE_AND_A_HALF).view(np.float32)
    rounded = (x + magic) - magic
    return rounded if abs(x) < _LIMIT else x * _INFINITY


@numba.njit(cache=True)
def _round_to_half(source: NDArray[np.float32], target: NDArray[np.float32]) -> None:
    for index in range(source.size):
        target[index] = np.copysign(_rounded(source[index]), source[index])


def round_to_half(numbers: ValueArray) -> NDArray[np.float32]:
    """float32 numbers rounded to binary16, as float32."""
    source = np.ascontiguousarray(numbers, np.float32)
    target = np.empty_like(source)
    _round_to_half(source.reshape(-1), target.reshape(-1))
    return target


@numba.njit(cache=True)
def grouped_products(
    x: ValueArray,
    weights: ValueArray,
    inner: IntegerArray,
    inner_starts: IntegerArray,
    outer: IntegerArray,
    outer_starts: IntegerArray,
    result: ValueArray,
    half: bool,
) -> None:
    """``result[n] = 0 + x[m0] * weights[m0, n] + x[m1] * weights[m1, n] + ...`` for the members of each group.

    Parameters
    ----------
    x : array (M, vectors)
    weights : array (M, N)
    inner, outer : array of int
        Indexes m and n, group after group.
    inner_starts, outer_starts : array of int
        Where each group begins in them, and the end.
    result : array (N, vectors)
        Other rows stay.
    half : bool
    """
    vectors = x.shape[1]
    for group in range(len(inner_starts) - 1):
        rows = inner[inner_starts[group] : inner_starts[group + 1]]
        for n in outer[outer_starts[group] : outer_starts[group + 1]]:
            total = result[n]
            total[:] = 0
            for m in rows:
                weight, operand = weights[m, n], x[m]
                if half:
                    for s in range(vectors):
                        total[s] = _rounded(total[s] + _rounded(operand[s] * weight))
                else:
                    for s in range(vectors):
                        total[s] += operand[s] * weight


@numba.njit(cache=True)
def outer_sums(
    x: ValueArray,
    d: ValueArray,
    row_labels: IntegerArray,
    column_labels: IntegerArray,
    result: ValueArray,
    half: bool,
) -> None:
    """``result[m, n]``: the sum over lanes, neighbours first, of each lane's sum over k of ``x[k, m] * d[k, n]``.

    Parameters
    ----------
    x, d : array (K, M, lanes), (K, N, lanes)
        The number of lanes is a power of two.
    row_labels, column_labels : array of int
        Only where these are equal is anything computed.
    result : array (M, N)
        Other elements stay.
    half : bool
    """
    total = np.empty(x.shape[2], x.dtype)
    # A few columns at a time: their words stay in the cache.
    for first in range(0, d.shape[1], _COLUMNS):
        for m in range(x.shape[1]):
            for n in range(first, min(first + _COLUMNS, d.shape[1])):
                if row_labels[m] == column_labels[n]:
                    result[m, n] = _outer_sum(x, m, d, n, total, half)


@numba.njit(cache=True)
def _outer_sum(x: ValueArray, m: int, d: ValueArray, n: int, total: ValueArray, half: bool) -> np.floating:
    total[:] = 0
    for k in range(len(x)):
        left, right = x[k, m], d[k, n]
        if half:
            for s in range(len(total)):
                total[s] = _rounded(total[s] + _rounded(left[s] * right[s]))
        else:
            for s in range(len(total)):
                total[s] += left[s] * right[s]
    lanes = len(total)
    while lanes > 1:
        lanes //= 2
        for s in range(lanes):
            both = total[2 * s] + total[2 * s + 1]
            total[s] = _rounded(both) if half else both
    return total[0]


@numba.njit(cache=True)
def labelled_sums(terms: ValueArray, labels: IntegerArray, result: ValueArray, half: bool) -> None:
    """``result[m, labels[n]] += terms[m, n]``, in the order of n."""
    for m in range(terms.shape[0]):
        for n in range(terms.shape[1]):
            both = result[m, labels[n]] + terms[m, n]
            result[m, labels[n]] = _rounded(both) if half else both
