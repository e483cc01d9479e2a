"""Tables and places of weights against dictionaries filled one by one."""

import numpy as np
import pytest

from rewardware.sw.reference.sparse.encoding import encode
from rewardware.sw.reference.sparse.lists import group_tables, weight_places


@pytest.mark.parametrize(("rows", "columns", "groups", "banks"), [(1, 1, 1, 16), (23, 40, 5, 4), (30, 9, 16, 8)])
def test_every_weight_has_a_place_of_its_own(rows, columns, groups, banks):
    rng = np.random.default_rng(rows)
    row_group, column_group = rng.integers(0, groups, rows), rng.integers(0, groups, columns)
    forward_tuples = encode(row_group, [column_group], groups)
    transposed_tuples = encode(column_group, [row_group], groups)
    (row_list,), (column_list,) = transposed_tuples.lists, forward_tuples.lists
    forward, transposed, end = group_tables(
        (transposed_tuples.starts[0], transposed_tuples.counts[0]),
        (forward_tuples.starts[0], forward_tuples.counts[0]),
        banks=banks,
        weight_base=7,
    )
    assert (np.diff(forward.inner_count) <= 0).all() and (np.diff(transposed.inner_count) <= 0).all()
    for table in (forward, transposed):
        ties = np.diff(table.inner_count) == 0
        assert (np.diff(table.group)[ties] > 0).all()
        assert sorted(table.group.tolist()) == list(range(groups))
    places = {}
    for row, column, group, bank, address in zip(
        *(part.tolist() for part in weight_places(forward, row_list, column_list, banks)), strict=True
    ):
        assert row_group[row] == column_group[column] == group
        r = np.flatnonzero(row_group == group).tolist().index(row)
        p = np.flatnonzero(column_group == group).tolist().index(column)
        assert bank == (r + p) % banks and 7 <= address < end
        places[bank, address] = row, column
    assert sorted(places.values()) == [
        (row, column) for row in range(rows) for column in range(columns) if row_group[row] == column_group[column]
    ]
