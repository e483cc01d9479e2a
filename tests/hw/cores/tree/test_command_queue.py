"""Commands of a stage on their way to the banks."""

from rewardware.hw.cores.tree.command_queue import CommandQueue
from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.sim.cocotb import simulate


def test_command_queue():
    config = TreeConfig(fanout=5, slots=7, policy="puct", levels=3, banks=11, nodes=50, group=2)
    simulate(
        CommandQueue(config),
        bench="tests.hw.cores.tree.bench_command_queue",
        parameters={"config": config},
        after_noise=True,
    )
