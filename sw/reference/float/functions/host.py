"""The functions on values (:mod:`..host`): compiled in binary32, through bit patterns in other formats."""

import functools
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .....hw.cores.float.config import BINARY32, FloatFormat
from .....hw.cores.float.functions.tables import (
    exponential_table,
    logarithm_table,
    reciprocal_table,
    square_root_table,
)
from .....hw.cores.function.polynomial import PolynomialTable
from ...arrays import IntegerArray, ValueArray
from ..host import from_bits, to_bits
from . import exponential as exponentials
from . import kernels
from . import logarithm as logarithms
from . import reciprocal as reciprocals
from . import square_root as square_roots

__all__ = ["exponential", "logarithm", "reciprocal", "square_root"]

Kernel = Callable[[IntegerArray, IntegerArray, int, IntegerArray], None]
Table = Callable[[FloatFormat], PolynomialTable]
BitFunction = Callable[[FloatFormat, ArrayLike], IntegerArray]


def exponential(number_format: FloatFormat, values: ValueArray) -> ValueArray:
    """``e**a``."""
    return _apply(kernels.exponentials, exponential_table, exponentials.exponential, number_format, values)


def logarithm(number_format: FloatFormat, values: ValueArray) -> ValueArray:
    """``ln(a)``."""
    return _apply(kernels.logarithms, logarithm_table, logarithms.logarithm, number_format, values)


def reciprocal(number_format: FloatFormat, values: ValueArray) -> ValueArray:
    """``1 / a``."""
    return _apply(kernels.reciprocals, reciprocal_table, reciprocals.reciprocal, number_format, values)


def square_root(number_format: FloatFormat, values: ValueArray) -> ValueArray:
    """``sqrt(a)``."""
    return _apply(kernels.square_roots, square_root_table, square_roots.square_root, number_format, values)


@functools.cache
def _coefficients(table: Table) -> tuple[NDArray[np.int64], int]:
    found = table(BINARY32)
    return np.array(found.coefficients, np.int64), found.offset_width


def _apply(
    kernel: Kernel, table: Table, general: BitFunction, number_format: FloatFormat, values: ValueArray
) -> ValueArray:
    shape = np.shape(values)
    if number_format != BINARY32:
        return from_bits(number_format, general(number_format, to_bits(number_format, values))).reshape(shape)
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.int64).reshape(-1)
    results = np.empty_like(bits)
    kernel(bits, *_coefficients(table), results)
    return results.astype(np.uint32).view(np.float32).reshape(shape)
