"""The sparse data engine: a layer as it stands in its memories."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....hw.cores.sparse.config import SparseConfig
from ..arrays import IntegerArray
from .compression import Scalar, compress, parameter_words
from .encoding import Tuples, encode
from .grouping import max_indexes
from .lists import GroupTable, group_tables

__all__ = ["SparseLayer", "group_layer", "grouping_words"]


@dataclass(frozen=True)
class SparseLayer:
    """A layer after grouping. Starts in the tables are absolute: they count from the bases.

    Parameters
    ----------
    rows : array
        Group of each row.
    columns : list of array
        Groups of each core's columns.
    forward, backward : Tuples
        Tuples of the mask, and of the transposed mask.
    tables : list of (GroupTable, GroupTable)
        Forward and transposed, for each core.
    weight_ends : list of int
    not_a_number : bool
    """

    rows: IntegerArray
    columns: list[IntegerArray]
    forward: Tuples
    backward: Tuples
    tables: list[tuple[GroupTable, GroupTable]]
    weight_ends: list[int]
    not_a_number: bool

    @property
    def row_list(self) -> IntegerArray:
        """Rows by group."""
        return self.backward.lists[0]

    def workloads(self) -> IntegerArray:
        """Unmasked weights of each row."""
        return self.forward.counts.sum(axis=0)[self.rows]

    def compress(
        self,
        config: SparseConfig,
        core: int,
        weights: NDArray[Scalar],
        memory: NDArray[Scalar],
        *,
        row_base: int = 0,
        column_base: int = 0,
    ) -> None:
        """Put the unmasked weights of a core into ``memory[bank, address]``."""
        rows, columns = np.pad(self.row_list, (row_base, 0)), np.pad(self.forward.lists[core], (column_base, 0))
        compress(weights, self.tables[core][0], rows, columns, memory)

    def words(
        self, config: SparseConfig, core: int, *, row_base: int = 0, parameter_base: int = 0, every_word: bool = False
    ) -> dict[str, IntegerArray]:
        """The address stream of a core."""
        return parameter_words(
            self.tables[core][0],
            np.pad(self.row_list, (row_base, 0)),
            self.forward.vectors[core],
            lanes=config.lanes,
            banks=config.banks,
            row_words=-(-len(self.columns[core]) // config.lanes),
            parameter_base=parameter_base,
            every_word=every_word,
        )


def group_layer(
    config: SparseConfig,
    row_values: IntegerArray,
    column_values: Sequence[IntegerArray],
    *,
    row_base: int = 0,
    column_base: int = 0,
    weight_base: int = 0,
) -> SparseLayer:
    """Group a layer.

    Parameters
    ----------
    config : SparseConfig
    row_values : array
        Bit patterns of IG, ``[group, row]``.
    column_values : list of array
        Column values of OG, ``[group, own column]``, for each core.
    row_base, column_base, weight_base : int
    """
    rows, unordered = max_indexes(config.format, row_values)
    found = [max_indexes(config.format, values) for values in column_values]
    columns = [indexes for indexes, _ in found]
    groups = len(row_values)
    forward = encode(rows, columns, groups)
    backward = encode(np.concatenate(columns), [rows], groups)
    row_places = backward.starts[0] + row_base, backward.counts[0]
    tables, ends = [], []
    for starts, counts in zip(forward.starts, forward.counts, strict=True):
        forward_table, transposed_table, end = group_tables(
            row_places, (starts + column_base, counts), banks=config.banks, weight_base=weight_base
        )
        tables.append((forward_table, transposed_table))
        ends.append(end)
    nan = bool(unordered.any()) or any(bool(flags.any()) for _, flags in found)
    return SparseLayer(rows, columns, forward, backward, tables, ends, nan)


def grouping_words(lanes: int, row_values: ArrayLike, column_values: Sequence[ArrayLike]) -> IntegerArray:
    """The grouping matrices of a layer as words ``[word, lane]``, in the order in which the engine reads them."""
    parts = []
    for values in (row_values, *column_values):
        padded = np.pad(np.asarray(values, np.int64), ((0, 0), (0, -np.shape(values)[1] % lanes)))
        parts.append(padded.reshape(len(padded), -1, lanes).swapaxes(0, 1).reshape(-1, lanes))
    return np.concatenate(parts)
