"""The noise generator against its reference."""

import pytest

from rewardware.hw.cores.random.config import GaussianConfig
from rewardware.hw.cores.random.gaussian import GaussianNoise
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize("lanes", [1, 6])
def test_gaussian_noise(lanes):
    noise = GaussianNoise(GaussianConfig(lanes=lanes))
    parameters = {"config": noise.config, "latency": noise.latency}
    simulate(noise, bench="tests.hw.cores.random.bench_gaussian", parameters=parameters, after_noise=True)
