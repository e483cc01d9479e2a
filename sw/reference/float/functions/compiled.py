"""The functions of float32 numbers in binary32, the same bits as on bit patterns, tens of times faster."""

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .....hw.cores.float.config import BINARY32, FloatFormat
from .....hw.cores.float.functions.tables import (
    exponential_table,
    logarithm_table,
    reciprocal_table,
    square_root_table,
)
from .....hw.cores.function.polynomial import PolynomialTable
from ...arrays import IntegerArray
from . import kernels

__all__ = ["exponential", "logarithm", "reciprocal", "square_root"]

Float32Array = NDArray[np.float32]
Kernel = Callable[[IntegerArray, IntegerArray, int, IntegerArray], None]


def exponential(values: Float32Array) -> Float32Array:
    """As :func:`.exponential.exponential`."""
    return _apply(kernels.exponentials, exponential_table, values)


def logarithm(values: Float32Array) -> Float32Array:
    """As :func:`.logarithm.logarithm`."""
    return _apply(kernels.logarithms, logarithm_table, values)


def reciprocal(values: Float32Array) -> Float32Array:
    """As :func:`.reciprocal.reciprocal`."""
    return _apply(kernels.reciprocals, reciprocal_table, values)


def square_root(values: Float32Array) -> Float32Array:
    """As :func:`.square_root.square_root`."""
    return _apply(kernels.square_roots, square_root_table, values)


@functools.cache
def _coefficients(table: Callable[[FloatFormat], PolynomialTable]) -> tuple[IntegerArray, int]:
    found = table(BINARY32)
    return np.array(found.coefficients, np.int64), found.offset_width


def _apply(kernel: Kernel, table: Callable[[FloatFormat], PolynomialTable], values: Float32Array) -> Float32Array:
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.int64).reshape(-1)
    results = np.empty_like(bits)
    kernel(bits, *_coefficients(table), results)
    return results.astype(np.uint32).view(np.float32).reshape(np.shape(values))
