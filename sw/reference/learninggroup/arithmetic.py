"""Three arithmetics with one interface: binary16 and binary32 as the device computes, binary64 for an oracle."""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....hw.cores.float.config import BINARY16, BINARY32, FloatFormat
from ..arrays import IntegerArray, ValueArray
from ..float.functions.exponential import exponential
from ..float.functions.reciprocal import reciprocal
from ..float.functions.sigmoid_tanh import hyperbolic_tangent, sigmoid
from ..float.functions.square_root import square_root
from .kernels import grouped_products, labelled_sums, outer_sums, round_to_half

__all__ = ["ARITHMETICS", "Binary16", "Binary32", "Binary64", "Members"]

# Indexes, group after group, and where each group begins in them, and the end.
Members = tuple[IntegerArray, IntegerArray]

# A function of bit patterns of a format.
BitFunction = Callable[[FloatFormat, ArrayLike], IntegerArray]


class Binary64:
    """The host's double precision and its functions.

    Attributes
    ----------
    dtype : type
        Type of the arrays that hold numbers.
    half : bool
        Whether numbers are binary16.
    """

    dtype: type[np.floating] = np.float64
    half = False

    def numbers(self, values: ArrayLike) -> ValueArray:
        """The nearest numbers to real values, ties to even."""
        with np.errstate(over="ignore"):
            return np.asarray(values, np.float64).astype(self.dtype)

    def zeros(self, *shape: int) -> ValueArray:
        """An array of +0."""
        return np.zeros(shape, self.dtype)

    def add(self, a: ValueArray, b: ValueArray) -> ValueArray:
        """``a + b``."""
        with np.errstate(all="ignore"):
            return a + b

    def subtract(self, a: ValueArray, b: ValueArray) -> ValueArray:
        """``a + (-b)``."""
        return self.add(a, -b)

    def multiply(self, a: ValueArray, b: ValueArray) -> ValueArray:
        """``a * b``."""
        with np.errstate(all="ignore"):
            return a * b

    def sigmoid(self, a: ValueArray) -> ValueArray:
        """``1 / (1 + exp(-a))``."""
        with np.errstate(all="ignore"):
            return 1 / (1 + np.exp(-a))

    def tanh(self, a: ValueArray) -> ValueArray:
        """The hyperbolic tangent."""
        return np.tanh(a)

    def exponential(self, a: ValueArray) -> ValueArray:
        """``e**a``."""
        with np.errstate(all="ignore"):
            return np.exp(a)

    def reciprocal(self, a: ValueArray) -> ValueArray:
        """``1 / a``."""
        with np.errstate(all="ignore"):
            return 1 / a

    def square_root(self, a: ValueArray) -> ValueArray:
        """``sqrt(a)``."""
        with np.errstate(all="ignore"):
            return np.sqrt(a)

    def products(self, x: ValueArray, weights: ValueArray, inner: Members, outer: Members) -> ValueArray:
        """Sums of products within each group, one after another (:func:`.kernels.grouped_products`).

        Parameters
        ----------
        x : array (M, ...)
        weights : array (M, N)
        inner, outer : (array, array)
            Indexes m and n, group after group, and where each group begins.
        """
        vectors = x.shape[1:]
        result = self.zeros(weights.shape[1], *vectors)
        (m, m_starts), (n, n_starts) = inner, outer
        into = result.reshape(len(result), -1)
        grouped_products(x.reshape(len(x), -1), weights, m, m_starts, n, n_starts, into, self.half)
        return result

    def outer_sums(
        self, x: ValueArray, d: ValueArray, row_labels: IntegerArray, column_labels: IntegerArray
    ) -> ValueArray:
        """Gradients of weights (:func:`.kernels.outer_sums`); +0 where the labels differ."""
        result = self.zeros(x.shape[1], d.shape[1])
        outer_sums(x, d, row_labels, column_labels, result, self.half)
        return result

    def labelled_sums(self, terms: ValueArray, labels: IntegerArray, count: int) -> ValueArray:
        """``(M, count)``: for each label the sum of a row's terms of that label, in order, from +0."""
        result = self.zeros(len(terms), count)
        labelled_sums(terms, labels, result, self.half)
        return result


class Binary32(Binary64):
    """IEEE binary32, and the function units' binary32."""

    dtype = np.float32

    def _by_bits(self, function: BitFunction, a: ValueArray) -> ValueArray:
        bits = np.ascontiguousarray(a, np.float32).view(np.uint32)
        return function(BINARY32, bits).astype(np.uint32).view(np.float32)

    def sigmoid(self, a: ValueArray) -> ValueArray:
        """``1 / (1 + exp(-a))``."""
        return self._by_bits(sigmoid, a)

    def tanh(self, a: ValueArray) -> ValueArray:
        """The hyperbolic tangent."""
        return self._by_bits(hyperbolic_tangent, a)

    def exponential(self, a: ValueArray) -> ValueArray:
        """``e**a``."""
        return self._by_bits(exponential, a)

    def reciprocal(self, a: ValueArray) -> ValueArray:
        """``1 / a``."""
        return self._by_bits(reciprocal, a)

    def square_root(self, a: ValueArray) -> ValueArray:
        """``sqrt(a)``."""
        return self._by_bits(square_root, a)


@cache
def _table(function: BitFunction) -> NDArray[np.float32]:
    """A function's results for all bit patterns of binary16, as float32."""
    return function(BINARY16, np.arange(1 << 16)).astype(np.uint16).view(np.float16).astype(np.float32)


class Binary16(Binary32):
    """IEEE binary16, held in float32; the function units' binary16."""

    half = True

    def numbers(self, values: ArrayLike) -> ValueArray:
        """The nearest numbers to real values, ties to even."""
        with np.errstate(over="ignore"):
            return np.asarray(values, np.float64).astype(np.float16).astype(np.float32)

    def add(self, a: ValueArray, b: ValueArray) -> ValueArray:
        """``a + b``."""
        return round_to_half(super().add(a, b))

    def multiply(self, a: ValueArray, b: ValueArray) -> ValueArray:
        """``a * b``."""
        return round_to_half(super().multiply(a, b))

    def _by_bits(self, function: BitFunction, a: ValueArray) -> ValueArray:
        return _table(function)[np.asarray(a).astype(np.float16).view(np.uint16)]


ARITHMETICS: dict[str, Binary64] = {"binary16": Binary16(), "binary32": Binary32(), "binary64": Binary64()}
