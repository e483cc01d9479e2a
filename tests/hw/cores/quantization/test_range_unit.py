"""The range unit against its reference."""

import pytest

from rewardware.hw.cores.quantization.config import RangeConfig
from rewardware.hw.cores.quantization.range_unit import RangeUnit
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(
    "config",
    [RangeConfig(slots=5, cores=3, lanes=6, lookups=2), RangeConfig(slots=7, cores=1, lanes=1, lookups=1)],
    ids=["three cores of six lanes", "one value"],
)
def test_range_unit(config):
    unit, bench = RangeUnit(config), "tests.hw.cores.quantization.bench_range_unit"
    parameters = {"config": config, "monitor_latency": unit.monitor_latency}
    # Parameters that were never frozen are known at power-on only.
    behind_noise = "any_range_is_written_monitored_and_frozen"
    simulate(unit, bench=bench, parameters=parameters)
    simulate(unit, bench=bench, parameters=parameters, tests=behind_noise, after_noise=True)
