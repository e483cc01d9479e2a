"""The group tables against their reference."""

import pytest

from rewardware.hw.cores.sparse.config import SparseConfig
from rewardware.hw.cores.sparse.lists import GroupTables, group_place, table_entry
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(
    "config",
    [
        SparseConfig(cores=3, rows=29, core_columns=12, groups=5, lanes=4, banks=8, tuples=13, weight_words=200),
        SparseConfig(cores=1, rows=20, core_columns=28, groups=11, lanes=4, banks=4, tuples=12, weight_words=300),
    ],
    ids=["five groups", "eleven groups"],
)
def test_group_tables(config):
    simulate(
        GroupTables(config),
        bench="tests.hw.cores.sparse.bench_lists",
        parameters={
            "config": config,
            "layers": 40,
            "entry_layout": table_entry(config),
            "place_layout": group_place(config),
        },
        after_noise=True,
    )
