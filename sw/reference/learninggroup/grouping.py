"""Weight grouping: which rows and columns are of one group, and the gradients of the matrices that say so."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ....hw.soc.learninggroup.config import Layer
from ..arrays import FlagArray, IntegerArray, ValueArray
from .arithmetic import Binary64, Members

__all__ = ["Grouping", "maximum_index"]


def maximum_index(values: ArrayLike) -> IntegerArray:
    """Where each row has its maximum: the lowest of equal ones, -0 equals +0, NaN is smallest.

    Parameters
    ----------
    values : array (rows, G)
    """
    values = np.asarray(values, np.float64)
    # Every number of the formats, infinities included, has a place between these two.
    ordered = np.clip(values, np.finfo(np.float64).min, np.finfo(np.float64).max)
    return np.argmax(np.where(np.isnan(values), -np.inf, ordered), axis=1)


class Grouping:
    """The groups of a layer's rows and columns, and the lists of their members that products walk.

    Parameters
    ----------
    layer : Layer
    row_groups, column_groups : array of int
        Group of each row and column.
    groups, cores, hidden_size : int
        G, C, H.

    Attributes
    ----------
    mask : array of bool (rows, columns)
        Whether a weight takes part.
    owners : array of int
        The core that has a column.
    rows, columns : (array, array)
        Their indexes, group after group in natural order, and where each group begins.
    own_columns : list of (array, array)
        The same of each core's own columns.
    """

    def __init__(
        self,
        layer: Layer,
        row_groups: IntegerArray,
        column_groups: IntegerArray,
        groups: int,
        cores: int,
        hidden_size: int,
    ):
        self.layer, self.groups, self.cores = layer, groups, cores
        self.row_groups, self.column_groups = row_groups, column_groups
        self.owners = np.array([layer.owner(column, hidden_size, cores) for column in range(layer.columns)])
        self.mask = row_groups[:, np.newaxis] == column_groups
        self.rows = self._members(row_groups, np.arange(layer.rows))
        self.columns = self._members(column_groups, np.arange(layer.columns))
        self.own_columns = [self._members(column_groups, np.flatnonzero(self.owners == core)) for core in range(cores)]

    def _members(self, labels: IntegerArray, indexes: IntegerArray) -> Members:
        labels = labels[indexes]
        starts = np.searchsorted(np.sort(labels), np.arange(self.groups + 1))
        return indexes[np.argsort(labels, kind="stable")], starts

    def forward(self, arithmetic: Binary64, x: ValueArray, weights: ValueArray) -> ValueArray:
        """``x weights``, masked: words of the columns from words of the rows."""
        return arithmetic.products(x, weights, self.rows, self.columns)

    def partial_sums(self, arithmetic: Binary64, d: ValueArray, weights: ValueArray) -> list[ValueArray]:
        """``d weights^T``, masked, of each core's own columns: words of the rows, a core after the other."""
        return [arithmetic.products(d, weights.T, own, self.rows) for own in self.own_columns]

    def weight_gradient(self, arithmetic: Binary64, x: ValueArray, d: ValueArray, dense: bool) -> ValueArray:
        """Gradient of the weights: everywhere, or +0 where the mask is 0."""
        labels = self.row_groups, self.column_groups
        if dense:
            labels = np.zeros_like(self.row_groups), np.zeros_like(self.column_groups)
        return arithmetic.outer_sums(x, d, *labels)

    def grouping_gradients(
        self, arithmetic: Binary64, gradient: ValueArray, weights: ValueArray
    ) -> tuple[ValueArray, ValueArray]:
        """dIG (rows, G) and dOG (G, columns), straight through the selection of maxima.

        Sums of ``gradient * weights`` in the order of columns and of rows; for dIG each core sums over its own columns,
        and the cores' sums are added in their order.
        """
        terms = arithmetic.multiply(gradient, weights)
        labels = self.owners * self.groups + self.column_groups
        sums = arithmetic.labelled_sums(terms, labels, self.cores * self.groups)
        inputs = aggregate(arithmetic, np.split(sums, self.cores, axis=1))
        outputs = arithmetic.labelled_sums(np.ascontiguousarray(terms.T), self.row_groups, self.groups)
        return inputs, outputs.T

    def selections(self) -> tuple[FlagArray, FlagArray]:
        """IS (rows, G) and OS (G, columns), of bool."""
        groups = np.arange(self.groups)
        return self.row_groups[:, np.newaxis] == groups, groups[:, np.newaxis] == self.column_groups

    def workloads(self) -> IntegerArray:
        """Unmasked weights of each core."""
        return np.bincount(self.owners, self.mask.sum(axis=0), self.cores).astype(np.int64)


def aggregate(arithmetic: Binary64, parts: Sequence[ValueArray]) -> ValueArray:
    """The cores' partial sums added up in the order of the cores."""
    total = parts[0]
    for part in parts[1:]:
        total = arithmetic.add(total, part)
    return total
