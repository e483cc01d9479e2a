"""Layers of several cores as the sparse data engine leaves them, with weights and gradients in banks."""

import numpy as np

from rewardware.sw.reference.float.conversion import from_numbers
from rewardware.sw.reference.sparse.encoding import encode
from rewardware.sw.reference.sparse.lists import group_tables
from tests.hw.cores.sparse.stimulus import layers


class GroupedCores:
    """Row list and groups, and for each core the column list, the forward table and the banks; all at random places."""

    def __init__(self, config, random, rows, columns, groups):
        sparse = config.sparse
        self.rows, self.columns, self.groups = rows, columns, groups
        by_rows = encode(np.concatenate(columns), [rows], groups)
        self.row_base = int(random.integers(0, sparse.row_list - len(rows) + 1))
        self.column_base = int(random.integers(0, sparse.column_list - max(map(len, columns)) + 1))
        self.table_base = int(random.integers(0, 2 * sparse.tuples - groups + 1))
        self.row_list = by_rows.lists[0]
        row_places = by_rows.starts[0] + self.row_base, by_rows.counts[0]
        by_columns = encode(rows, columns, groups)
        self.column_lists = by_columns.lists
        self.forward = []
        for core in range(len(columns)):
            places = by_columns.starts[core] + self.column_base, by_columns.counts[core]
            end = group_tables(row_places, places, banks=sparse.banks)[2]
            base = int(random.integers(0, sparse.weight_words - end + 1))
            self.forward.append(group_tables(row_places, places, banks=sparse.banks, weight_base=base)[0])
        shape = len(columns), sparse.banks, sparse.weight_words
        self.weights, self.gradients = (
            from_numbers(config.format, random.normal(0, 1, shape) * 2.0 ** random.integers(-9, 4, shape)) for _ in "wg"
        )
        corners = [0, 1, config.format.sign_bit, config.format.smallest_normal, config.format.one]
        corners += [config.format.largest, config.format.infinity, config.format.quiet_nan]
        for numbers in (self.weights, self.gradients):
            places = random.random(shape) < 0.03
            numbers[places] = random.choice(corners, places.sum())


def grouped_cores(config, random, count):
    """Layers: corner cases first."""
    for rows, columns, groups in layers(config.sparse, random, count):
        yield GroupedCores(config, random, rows, columns, groups)


def large_group(config, random):
    """Few rows in one group, all others in another, and few products each: words wait for those before them."""
    sparse = config.sparse
    small, large = random.permutation(sparse.groups)[:2]
    rows = np.where(np.arange(sparse.rows) < sparse.rows // 4, small, large)
    columns = [np.array([small, large]) for _ in range(sparse.cores)]
    return GroupedCores(config, random, rows, columns, sparse.groups)
