"""Noise and ranges: what a command does, in how many cycles, with stalls."""

from rewardware.hw.cores.array.engine_config import ArrayEngineConfig
from rewardware.hw.cores.array.range_noise_engine import RangeNoiseEngine
from rewardware.sim.cocotb import simulate


def test_engine():
    config = ArrayEngineConfig(cores=3, lanes=6, weight_rows=6, activation_rows=6, error_rows=12)
    simulate(
        RangeNoiseEngine(config, settle=5),
        bench="tests.hw.cores.array.bench_range_noise_engine",
        parameters={"config": config, "settle": 5},
        after_noise=True,
    )
