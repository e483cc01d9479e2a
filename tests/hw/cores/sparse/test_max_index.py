"""The max-index unit against its reference."""

import pytest

from rewardware.hw.cores.sparse.config import SparseConfig
from rewardware.hw.cores.sparse.max_index import MaxIndexUnit
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(
    "config",
    [
        SparseConfig(lanes=4, core_columns=172, groups=5),
        SparseConfig(lanes=2, core_columns=172, groups=11, format="binary32"),
        SparseConfig(lanes=2, core_columns=172, groups=3, format="binary16_flush"),
    ],
    ids=["binary16", "binary32", "flushed"],
)
def test_max_index(config):
    unit = MaxIndexUnit(config)
    simulate(
        unit,
        bench="tests.hw.cores.sparse.bench_max_index",
        parameters={"config": config, "latency": unit.latency},
        after_noise=True,
    )
