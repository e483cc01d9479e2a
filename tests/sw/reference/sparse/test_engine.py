"""A grouped layer against its mask, and the words of grouping matrices against their description."""

import numpy as np

from rewardware.hw.cores.sparse.config import SparseConfig
from rewardware.sw.reference.sparse.engine import group_layer, grouping_words

CONFIG = SparseConfig(cores=2, rows=29, core_columns=20, groups=5, lanes=4, banks=8, weight_words=200)


def matrices(rng, rows, columns, groups):
    return [rng.integers(0, 0x7C00, (groups, count)) for count in (rows, *columns)]


def test_compressed_weights_give_the_masked_product():
    rng = np.random.default_rng(5)
    row_values, *column_values = matrices(rng, 29, (20, 17), 5)
    layer = group_layer(CONFIG, row_values, column_values, row_base=3, column_base=6, weight_base=11)
    assert not layer.not_a_number
    row_list = np.pad(layer.row_list, (3, 0))
    for core, own in enumerate(column_values):
        weights = rng.integers(-9, 10, (29, own.shape[1]))
        mask = row_values.argmax(axis=0)[:, None] == own.argmax(axis=0)
        memory = np.zeros((CONFIG.banks, CONFIG.weight_words), np.int64)
        layer.compress(CONFIG, core, weights, memory, row_base=3, column_base=6)
        x = rng.integers(-9, 10, 29)
        result = np.full(own.shape[1], -1)
        # As the matrix engine does it: for each group, from lists and addresses alone.
        column_list = np.pad(layer.forward.lists[core], (6, 0))
        forward = layer.tables[core][0]
        for place in range(5):
            for p in range(forward.outer_count[place]):
                total = 0
                for r in range(forward.inner_count[place]):
                    address = forward.weights_base[place] + r * forward.pitch[place] + p // CONFIG.banks
                    weight = memory[(r + p) % CONFIG.banks, address]
                    total += x[row_list[forward.inner_start[place] + r]] * weight
                result[column_list[forward.outer_start[place] + p]] = total
        assert (result == x @ np.where(mask, weights, 0)).all()
    assert layer.workloads().sum() == sum(
        (row_values.argmax(axis=0)[:, None] == own.argmax(axis=0)).sum() for own in column_values
    )


def test_words_of_grouping_matrices():
    rows, first, second = np.arange(10).reshape(2, 5), 100 + np.arange(4).reshape(2, 2), np.zeros((2, 0))
    assert grouping_words(2, rows, [first, second]).tolist() == [
        [0, 1], [5, 6], [2, 3], [7, 8], [4, 0], [9, 0], [100, 101], [102, 103],
    ]  # fmt: skip


def test_not_a_number_is_said():
    rng = np.random.default_rng(6)
    row_values, *column_values = matrices(rng, 3, (2, 0), 4)
    column_values[0][1, 1] = 0x7E00
    assert group_layer(CONFIG, row_values, column_values).not_a_number
