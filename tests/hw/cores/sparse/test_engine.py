"""The sparse data engine against its reference."""

import pytest

from rewardware.hw.cores.sparse.engine import SparseDataEngine, counters_layout, sparse_errors
from rewardware.hw.cores.sparse.lists import table_entry
from rewardware.sim.cocotb import simulate

from .variants import CONFIGS


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_engine(config):
    simulate(
        SparseDataEngine(config),
        bench="tests.hw.cores.sparse.bench_engine",
        parameters={
            "config": config,
            "layers": 20,
            "entry_layout": table_entry(config),
            "counters_layout": counters_layout,
            "errors_layout": sparse_errors,
        },
    )
