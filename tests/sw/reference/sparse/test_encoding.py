"""Tuples against the mask itself, made by multiplying the selection matrices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis.strategies import data, integers, lists

from rewardware.sw.reference.sparse.encoding import encode, encoding_cycles, index_words


@pytest.mark.parametrize(
    ("rows", "columns", "groups"), [(1, [1], 1), (13, [7, 0, 5], 4), (40, [9, 9], 7), (5, [3], 32)]
)
def test_equals_the_mask(rows, columns, groups):
    rng = np.random.default_rng(rows)
    inner = rng.integers(0, groups, rows)
    outer = [rng.integers(0, groups, count) for count in columns]
    tuples = encode(inner, outer, groups)
    selected = np.eye(groups, dtype=int)[inner]
    for core, own in enumerate(outer):
        mask = selected @ np.eye(groups, dtype=int)[own].T
        for row, group in enumerate(inner):
            start, count = tuples.starts[core, group], tuples.counts[core, group]
            assert tuples.lists[core][start : start + count].tolist() == np.flatnonzero(mask[row]).tolist()
            assert tuples.vectors[core][group].tolist() == mask[row].astype(bool).tolist()
        assert sorted(tuples.lists[core].tolist()) == list(range(len(own)))
    appeared = list(dict.fromkeys(inner.tolist()))
    assert tuples.order.tolist() == appeared + [group for group in range(groups) if group not in appeared]


def test_cycles_by_hand():
    # Rows 0, 0, 1 of two groups; columns 0, 1, 1: the miss of group 0 takes 3 cycles, in which row 1 hits;
    # row 2 misses in cycle 3 and takes 4.
    assert encoding_cycles([0, 0, 1], [[0, 1, 1]], 2, 2) == (2, 7, 1)
    assert encoding_cycles([0, 0, 1], [[0, 1, 1]], 2, 2, caching=False) == (2, 10, 1)


def test_words_begin_with_each_core():
    assert index_words(2, [1, 2, 3], [[4], [], [5, 6]]).tolist() == [[1, 2], [3, 0], [4, 0], [5, 6]]


@given(data())
def test_rows_get_the_columns_of_their_group(drawn):
    groups = drawn.draw(integers(1, 9))
    indexes = lists(integers(0, groups - 1), max_size=20)
    inner, outer = (
        drawn.draw(lists(integers(0, groups - 1), min_size=1, max_size=20)),
        drawn.draw(lists(indexes, min_size=1, max_size=3)),
    )
    tuples = encode(inner, outer, groups)
    for core, own in enumerate(outer):
        for group in range(groups):
            start, count = tuples.starts[core, group], tuples.counts[core, group]
            expected = [column for column, other in enumerate(own) if other == group]
            assert tuples.lists[core][start : start + count].tolist() == expected
