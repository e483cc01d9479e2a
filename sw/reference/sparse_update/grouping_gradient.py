"""Reference of the gradients of the grouping, in bit patterns."""

from collections.abc import Iterator, Sequence

import numpy as np

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray
from ..float.arithmetic import add, multiply
from ..sparse.lists import GroupTable

__all__ = ["aggregate", "column_sums", "row_sums"]


def row_sums(
    number_format: FloatFormat, forward: GroupTable, weights: IntegerArray, gradients: IntegerArray
) -> list[IntegerArray]:
    """For each group of a core's forward table the sums of its rows over the own columns, in the order of the lists.

    Parameters
    ----------
    number_format : FloatFormat
    forward : GroupTable
    weights, gradients : array (banks, addresses)
    """
    return [_sums(number_format, terms.T) for terms in _terms(number_format, forward, weights, gradients)]


def column_sums(
    number_format: FloatFormat, forward: GroupTable, weights: IntegerArray, gradients: IntegerArray
) -> list[IntegerArray]:
    """For each group of a core's forward table the sums of its own columns over the rows, in the order of the lists."""
    return [_sums(number_format, terms) for terms in _terms(number_format, forward, weights, gradients)]


def aggregate(number_format: FloatFormat, parts: Sequence[list[IntegerArray]]) -> list[IntegerArray]:
    """The cores' :func:`row_sums` added up in the order of the cores."""
    totals = parts[0]
    for part in parts[1:]:
        totals = [add(number_format, total, sums) for total, sums in zip(totals, part, strict=True)]
    return totals


def _terms(
    number_format: FloatFormat, forward: GroupTable, weights: IntegerArray, gradients: IntegerArray
) -> Iterator[IntegerArray]:
    """For each group the products of its weights and gradients, ``[row, own column]``."""
    banks = len(weights)
    for place, base in enumerate(forward.weights_base):
        row, column = np.mgrid[: forward.inner_count[place], : forward.outer_count[place]]
        found = (row + column) % banks, base + row * forward.pitch[place] + column // banks
        yield multiply(number_format, gradients[found], weights[found])


def _sums(number_format: FloatFormat, terms: IntegerArray) -> IntegerArray:
    """Sums of the first axis, in order, from +0."""
    total = np.zeros(terms.shape[1], np.int64)
    for term in terms:
        total = add(number_format, total, term)
    return total
