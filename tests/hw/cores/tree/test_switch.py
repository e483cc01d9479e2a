"""The switch under random traffic."""

import pytest

from rewardware.hw.cores.tree.interconnect_config import SwitchConfig
from rewardware.hw.cores.tree.switch import Switch
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(("inputs", "outputs"), [(2, 2), (3, 1), (5, 3), (1, 2)])
def test_switch(inputs, outputs):
    config = SwitchConfig(inputs=inputs, outputs=outputs, width=14)
    switch = Switch(config)
    assert switch.latency == 1
    simulate(switch, bench="tests.hw.cores.tree.bench_switch", parameters={"config": config}, after_noise=True)
