"""The Adam engine against its reference."""

import pytest

from rewardware.hw.cores.optimizer.adam_engine import AdamEngine
from rewardware.hw.cores.optimizer.bias_correction import BiasCorrection
from rewardware.hw.cores.optimizer.config import AdamConfig
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(
    "config",
    [
        AdamConfig(lanes=3, rows=11, weight_fraction=24),
        AdamConfig(lanes=1, networks=1, rows=37, weight_fraction=29),
        AdamConfig(lanes=4, rows=13, weight_fraction=24, interval=4),
        AdamConfig(lanes=6, networks=3, rows=9, weight_fraction=25, interval=3),
    ],
    ids=["three lanes", "one lane, one network", "four lanes, one unit", "six lanes, two units"],
)
def test_engine(config):
    engine = AdamEngine(config)
    cycles = (config.rows - 1) * config.interval + engine.latency + 3
    simulate(
        engine,
        bench="tests.hw.cores.optimizer.bench_adam_engine",
        parameters={"config": config, "cycles": (cycles, cycles + 1 + BiasCorrection(config).latency)},
    )


def test_bad_configuration():
    with pytest.raises(ValueError, match="^Rows must be from 2 to 65536, not 1$"):
        AdamConfig(rows=1)
    with pytest.raises(ValueError, match="^Networks must be from 1 to 16, not 0$"):
        AdamConfig(networks=0)
    with pytest.raises(TypeError, match="^Lanes must be an integer, not True$"):
        AdamConfig(lanes=True)
    with pytest.raises(ValueError, match="^Interval must be a divisor of lanes, not 3$"):
        AdamConfig(lanes=4, interval=3)
