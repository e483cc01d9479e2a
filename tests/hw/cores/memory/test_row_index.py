"""Indices of rows that follow each other, against the remainder."""

import numpy as np
import pytest

from rewardware.hw.cores.memory.config import TransposableConfig
from rewardware.hw.cores.memory.row_index import RowIndex
from rewardware.sim.cocotb import simulate

from ..bench_play import Expected


@pytest.mark.parametrize("lanes", [6])
def test_index_is_the_remainder(lanes):
    """Sweeps from any row, with rows that are not taken; lanes are no power of two, for which nothing is to be done."""
    config = TransposableConfig(lanes=lanes, rows=5 * lanes)
    rng = np.random.default_rng(lanes)
    rows, taken, first = [], [], []
    for _ in range(60):
        base = int(rng.integers(config.rows))
        for row in range(base, int(rng.integers(base + 1, config.rows + 1))):
            steps = [*np.zeros(int(rng.integers(3)), int), 1]
            rows += [row] * len(steps)
            taken += steps
            first += [base % lanes] * len(steps)
    rows, taken = np.array(rows), np.array(taken)
    simulate(
        RowIndex(config),
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {"row": rows, "taken": taken, "first": np.array(first)},
            "outputs": {"index": Expected(rows % lanes, 0)},
        },
    )
