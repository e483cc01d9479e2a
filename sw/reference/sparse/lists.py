"""Group tables, and where compressed weights are."""

from dataclasses import dataclass

import numpy as np

from ..arrays import IntegerArray

__all__ = ["GroupTable", "group_tables", "weight_places"]


@dataclass(frozen=True)
class GroupTable:
    """One table of a core: an element for each group, in order of decreasing ``inner_count``.

    Parameters
    ----------
    inner_start, inner_count, outer_start, outer_count, weights_base, pitch, group : array
        As the matrix engine reads them.
    """

    inner_start: IntegerArray
    inner_count: IntegerArray
    outer_start: IntegerArray
    outer_count: IntegerArray
    weights_base: IntegerArray
    pitch: IntegerArray
    group: IntegerArray


def group_tables(
    rows: tuple[IntegerArray, IntegerArray],
    columns: tuple[IntegerArray, IntegerArray],
    *,
    banks: int,
    weight_base: int = 0,
) -> tuple[GroupTable, GroupTable, int]:
    """``(forward, transposed, end)``: both tables of a core and the first address after its weights.

    Parameters
    ----------
    rows, columns : pair of array
        Starts and counts of each group, of the rows and of the core's own columns.
    banks : int
    weight_base : int
    """
    (row_start, row_count), (column_start, column_count) = (np.asarray(rows), np.asarray(columns))
    pitch = -(-column_count // banks)
    ends = weight_base + np.cumsum(row_count * pitch)
    bases = ends - row_count * pitch
    group = np.arange(len(row_count))

    def ranked(
        inner_start: IntegerArray, inner_count: IntegerArray, outer_start: IntegerArray, outer_count: IntegerArray
    ) -> GroupTable:
        order = np.lexsort((group, -inner_count))
        parts = inner_start, inner_count, outer_start, outer_count, bases, pitch, group
        return GroupTable(*(part[order] for part in parts))

    forward = ranked(row_start, row_count, column_start, column_count)
    transposed = ranked(column_start, column_count, row_start, row_count)
    return forward, transposed, int(ends[-1])


def weight_places(
    forward: GroupTable, row_list: IntegerArray, column_list: IntegerArray, banks: int
) -> tuple[IntegerArray, IntegerArray, IntegerArray, IntegerArray, IntegerArray]:
    """``(row, own column, group, bank, address)`` of every unmasked weight, an array each.

    Groups in the order of the forward table, rows of a group in order, own columns of a row in order.
    """
    parts = []
    for place in range(len(forward.group)):
        rows = row_list[forward.inner_start[place] :][: forward.inner_count[place]]
        columns = column_list[forward.outer_start[place] :][: forward.outer_count[place]]
        r, p = (part.ravel() for part in np.mgrid[: len(rows), : len(columns)])
        address = forward.weights_base[place] + r * forward.pitch[place] + p // banks
        parts.append((rows[r], columns[p], np.full(len(r), forward.group[place]), (r + p) % banks, address))
    row, column, group, bank, address = (np.concatenate(part) for part in zip(*parts, strict=True))
    return row, column, group, bank, address
