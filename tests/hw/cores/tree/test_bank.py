"""A bank of nodes."""

import pytest

from rewardware.hw.cores.tree.bank import Bank
from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(("fanout", "flits", "policy"), [(5, 2, "uct"), (7, 3, "puct"), (2, 1, "uct"), (7, 4, "uct")])
def test_bank(fanout, flits, policy):
    config = TreeConfig(
        fanout=fanout, flits=flits, policy=policy, levels=5, banks=6, rows=16, reserve=4, nodes=50, group=2, slots=5
    )
    bank = Bank(config)
    assert bank.latency == 1
    simulate(bank, bench="tests.hw.cores.tree.bench_bank", parameters={"config": config})
