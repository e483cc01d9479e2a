"""Commands of a stage on their way to the banks."""

import pytest

from rewardware.hw.cores.tree.command_queue import CommandQueue
from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(("levels", "concentration"), [(3, 1), (8, 4)])
def test_command_queue(levels, concentration):
    config = TreeConfig(
        fanout=5, slots=7, policy="puct", levels=levels, banks=11, nodes=50, group=2, concentration=concentration
    )
    simulate(
        CommandQueue(config),
        bench="tests.hw.cores.tree.bench_command_queue",
        parameters={"config": config},
        after_noise=True,
    )
