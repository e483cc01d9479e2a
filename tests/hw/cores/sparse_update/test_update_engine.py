"""The engine of the update against the references of the grouping's gradients and of their update."""

import pytest

from rewardware.hw.cores.sparse.lists import table_entry
from rewardware.hw.cores.sparse_update.grouping_gradient_config import GroupingGradientConfig
from rewardware.hw.cores.sparse_update.grouping_update_config import GroupingUpdateConfig
from rewardware.hw.cores.sparse_update.update_engine import UpdateEngine
from rewardware.sim.cocotb import simulate

from .variants import PARTS

VARIANTS = {
    name: GroupingUpdateConfig(gradient=GroupingGradientConfig(sparse=sparse), rms_prop=lane)
    for name, (sparse, lane) in PARTS.items()
}


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_update_engine(config):
    simulate(
        UpdateEngine(config),
        bench="tests.hw.cores.sparse_update.bench_update_engine",
        parameters={"config": config, "layers": 9, "table_layout": table_entry(config.sparse)},
    )
