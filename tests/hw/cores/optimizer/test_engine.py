"""The optimiser engine against its reference."""

import pytest

from rewardware.hw.cores.optimizer.bias_correction import BiasCorrection
from rewardware.hw.cores.optimizer.config import OptimizerConfig
from rewardware.hw.cores.optimizer.engine import OptimizerEngine
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(
    "config",
    [
        OptimizerConfig(lanes=3, rows=11, weight_fraction=24),
        OptimizerConfig(lanes=1, rows=37, weight_fraction=29),
        OptimizerConfig(lanes=4, rows=13, weight_fraction=24, interval=4),
        OptimizerConfig(lanes=6, rows=9, weight_fraction=25, interval=3),
    ],
    ids=["three lanes", "one lane", "four lanes in turns", "six lanes in turns of two"],
)
def test_engine(config):
    engine = OptimizerEngine(config)
    cycles = (config.rows - 1) * config.interval + engine.latency + 3
    simulate(
        engine,
        bench="tests.hw.cores.optimizer.bench_engine",
        parameters={"config": config, "cycles": (cycles, cycles + 1 + BiasCorrection().latency)},
    )


def test_bad_configuration():
    with pytest.raises(ValueError, match="^Rows must be from 2 to 65536, not 1$"):
        OptimizerConfig(rows=1)
    with pytest.raises(TypeError, match="^Lanes must be an integer, not True$"):
        OptimizerConfig(lanes=True)
    with pytest.raises(ValueError, match="^Interval must be a divisor of lanes, not 3$"):
        OptimizerConfig(lanes=4, interval=3)
