"""The engine against the reference."""

import pytest

from rewardware.sim.cocotb import simulate

from .configurations import CONFIGURATIONS, LAYERS
from .with_memories import WithMemories


@pytest.mark.parametrize("config", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_engine(config):
    simulate(
        WithMemories(config),
        bench="tests.hw.cores.fractional_convolution.bench_engine",
        parameters={"config": config, "layers": LAYERS},
        after_noise=True,
    )
