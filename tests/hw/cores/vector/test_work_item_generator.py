"""The walk over groups, against one by hand."""

import pytest

from rewardware.sim.cocotb import simulate

from .engine_parts import VARIANTS, engine_parts


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_work_item_generator(config):
    simulate(
        engine_parts(config),
        bench="tests.hw.cores.vector.bench_work_item_generator",
        parameters={"config": config},
        after_noise=True,
    )
