"""Reference of the transposable memory."""

import numpy as np

from rewardware.hw.cores.memory.config import TransposableConfig
from rewardware.sw.reference.memory.transposable import TransposableMemoryReference


def test_columns_are_the_transpose_of_rows():
    lanes, rows = 5, 10
    memory = TransposableMemoryReference(TransposableConfig(lanes=lanes, rows=rows, width=16))
    words = np.random.default_rng(0).integers(0, 1 << 16, (rows, lanes))
    for block in range(0, rows, lanes):
        for lane in range(lanes):
            memory.write_column(block, lane, words[block : block + lanes, lane])
    assert [memory.read_row(row).tolist() for row in range(rows)] == words.tolist()
    memory.write_row(7, [9] * lanes, np.arange(lanes) == 2)
    assert memory.read_column(5, 2).tolist() == [*words[5:7, 2].tolist(), 9, *words[8:, 2].tolist()]
