"""The switch under random traffic."""

import pytest

from rewardware.hw.cores.tree.interconnect_config import SwitchConfig
from rewardware.hw.cores.tree.switch import Switch
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(
    ("inputs", "outputs", "one_hot"),
    [(2, 2, False), (2, 2, True), (3, 1, False), (3, 1, True), (5, 3, False), (5, 3, True), (1, 2, False)],
)
def test_switch(inputs, outputs, one_hot):
    config = SwitchConfig(inputs=inputs, outputs=outputs, width=14, one_hot=one_hot)
    switch = Switch(config)
    assert switch.latency == 1
    simulate(switch, bench="tests.hw.cores.tree.bench_switch", parameters={"config": config}, after_noise=True)
