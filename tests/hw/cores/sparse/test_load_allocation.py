"""The load allocation unit against its reference."""

import pytest

from rewardware.hw.cores.sparse.config import SparseConfig
from rewardware.hw.cores.sparse.load_allocation import LoadAllocationUnit
from rewardware.sim.cocotb import simulate

SMALL = {"index_words": 40, "tuples": 16, "row_list": 60, "column_list": 40}


@pytest.mark.parametrize(
    "config",
    [
        SparseConfig(cores=3, rows=29, core_columns=12, groups=5, lanes=4, **SMALL),
        SparseConfig(cores=4, rows=21, core_columns=16, groups=7, lanes=8, **SMALL),
        SparseConfig(cores=1, rows=13, core_columns=14, groups=6, lanes=2, **SMALL),
    ],
    ids=["three cores", "four cores", "one core"],
)
def test_load_allocation(config):
    simulate(
        LoadAllocationUnit(config),
        bench="tests.hw.cores.sparse.bench_load_allocation",
        parameters={"config": config, "layers": 40},
        after_noise=True,
    )
