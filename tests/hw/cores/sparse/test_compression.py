"""Compression and its inverse against their references."""

import pytest

from rewardware.hw.cores.sparse.compression import WeightCompressor, WeightExpander
from rewardware.sim.cocotb import simulate

from .variants import CONFIGS


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_compressor(config):
    compressor = WeightCompressor(config)
    simulate(
        compressor,
        bench="tests.hw.cores.sparse.bench_compression",
        parameters={"config": config, "layers": 20, "latency": compressor.latency},
        after_noise=True,
    )


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_expander(config):
    expander = WeightExpander(config)
    simulate(
        expander,
        bench="tests.hw.cores.sparse.bench_expansion",
        parameters={"config": config, "layers": 15, "latency": expander.latency},
        after_noise=True,
    )
