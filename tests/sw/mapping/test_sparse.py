"""Savings of caching on the paper's layer; that the cycles are those of the RTL is tested with the engine."""

import numpy as np
import pytest

from rewardware.hw.cores.sparse.config import SparseConfig
from rewardware.sw.mapping.sparse import caching_speedup, sparse_cycles
from rewardware.sw.reference.sparse.engine import group_layer

PAPER = SparseConfig()


def layer(groups, seed=0):
    """128 x 512 with random grouping matrices, dealt to three cores."""
    rng = np.random.default_rng(seed)
    matrices = [rng.integers(0, 0x7C00, (groups, count)) for count in (128, 172, 172, 168)]
    return group_layer(PAPER, matrices[0], matrices[1:])


def test_caching_saves_cycles():
    speedups = [caching_speedup(PAPER, layer(groups)) for groups in (2, 4, 8, 16, 32)]
    assert max(speedups) >= 5.72, speedups
    assert min(speedups) >= 1, speedups


def test_parts_by_hand():
    """One group: nothing to choose, every weight is kept."""
    rows, columns = np.zeros((1, 128), int), [np.zeros((1, own), int) for own in (172, 172, 168)]
    stages = sparse_cycles(PAPER, group_layer(PAPER, rows, columns))
    assert stages["find"] == {"max_index": 8 + 3 * 11 + 5}
    assert stages["encode"] == {"loading": 33 + 6, "index_miss": 512 + 2, "index_hit": 1}
    assert stages["transpose"] == {"loading": 8 + 6, "index_miss": 128 + 2, "index_hit": 384, "tables": 11}
    assert stages["compress"] == {"compression": 128 * 11 + 6 + 7}


@pytest.mark.parametrize("groups", [1, 4, 16])
def test_weights_a_cycle(groups):
    """More than one unmasked weight is compressed in a cycle, by each core."""
    grouped = layer(groups)
    cycles = sparse_cycles(PAPER, grouped)["compress"]["compression"]
    assert grouped.workloads().sum() / cycles > PAPER.cores
