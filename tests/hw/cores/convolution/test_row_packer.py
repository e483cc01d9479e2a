"""Runs of elements into rows, against a list."""

import numpy as np
import pytest

from rewardware.hw.cores.convolution.row_packer import RowPacker
from rewardware.hw.cores.convolution.row_packer_config import RowPackerConfig
from rewardware.sim.cocotb import simulate


def runs_and_rows(rng, lanes, number):
    """Elements as they come, and the rows, of which each begins after one that has ended."""
    comes, rows, row = [], [], []
    for index in range(number):
        size = int(rng.choice([lanes, rng.integers(1, lanes + 1)]))
        last = bool(rng.random() < 0.3) or index == number - 1
        elements = rng.integers(1, 256, size).tolist()
        comes.append({"elements": elements + [0] * (lanes - size), "size": size, "last": int(last)})
        row += elements
        if len(row) >= lanes:
            rows.append(row[:lanes])
            row = row[lanes:]
        if last and row:
            rows.append(row + [0] * (lanes - len(row)))
            row = []
    return comes, rows


@pytest.mark.parametrize("lanes", [5, 8])
def test_rows(lanes):
    config = RowPackerConfig(lanes=lanes, width=8)
    comes, rows = runs_and_rows(np.random.default_rng(lanes), lanes, 600)
    simulate(
        RowPacker(config),
        bench="tests.hw.cores.convolution.bench_row_packer",
        parameters={"comes": comes, "rows": rows},
        after_noise=True,
    )


def test_bad_configuration():
    with pytest.raises(ValueError, match="Lanes must be from 2 to 256, not 1"):
        RowPackerConfig(lanes=1)
    with pytest.raises(ValueError, match="Width must be from 1 to 64, not 65"):
        RowPackerConfig(lanes=2, width=65)
