"""The unit that updates the central parameters, against the reference."""

import pytest

from rewardware.hw.cores.a3c.rms_prop_unit import RMSPropUnit
from rewardware.sim.cocotb import simulate

from .configurations import CONFIGURATIONS


@pytest.mark.parametrize("config", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_rms_prop_unit(config):
    unit = RMSPropUnit(config)
    simulate(
        unit,
        bench="tests.hw.cores.a3c.bench_rms_prop_unit",
        parameters={"config": config, "latency": unit.latency},
        after_noise=True,
    )
