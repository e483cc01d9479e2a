"""The drain: what leaves of waves, and when."""

import pytest

from rewardware.sim.cocotb import simulate

from .engine_parts import VARIANTS, engine_parts


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_drain(config):
    simulate(
        engine_parts(config), bench="tests.hw.cores.vector.bench_drain", parameters={"config": config}, after_noise=True
    )
