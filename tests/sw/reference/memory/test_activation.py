"""Reference of the activation memory against dictionaries of samples."""

import numpy as np

from rewardware.hw.cores.memory.config import ActivationMemoryConfig
from rewardware.sw.reference.memory.activation import ActivationMemoryReference


def test_codes_of_samples_come_back_by_row_and_by_column():
    lanes, rows = 6, 12
    rng = np.random.default_rng(0)
    memory = ActivationMemoryReference(ActivationMemoryConfig(lanes=lanes, rows=rows))
    codes = rng.integers(0, 1 << 16, (2 * rows, lanes))
    for sample, row in enumerate(codes):
        memory.write_row(sample // 2, row, half=True, parity=sample % 2)
    for row in range(rows):
        assert memory.read_row(row, half=True).tolist() == [
            int(even) + (int(odd) << 16) for even, odd in zip(codes[2 * row], codes[2 * row + 1], strict=True)
        ]
    for block in range(0, rows, lanes):
        for lane in range(0, lanes, 2):
            for parity in range(2):
                samples = [2 * (block + i) + parity for i in range(lanes)]
                assert memory.read_column(block, lane, half=True, parity=parity).tolist() == [
                    int(codes[sample, lane]) + (int(codes[sample, lane + 1]) << 16) for sample in samples
                ]


def test_words_come_back_by_row_and_by_column():
    lanes, rows = 4, 8
    rng = np.random.default_rng(1)
    memory = ActivationMemoryReference(ActivationMemoryConfig(lanes=lanes, rows=rows))
    words = rng.integers(0, 1 << 32, (rows, lanes))
    for row in range(rows):
        memory.write_row(row, words[row])
    memory.write_row(5, np.zeros(lanes), np.array([False, True, False, False]))
    words[5, 1] = 0
    assert all((memory.read_row(row) == words[row]).all() for row in range(rows))
    assert all((memory.read_column(4, lane) == words[4:, lane]).all() for lane in range(lanes))
