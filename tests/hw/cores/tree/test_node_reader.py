"""Nodes straight from the banks."""

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.node_reader import NodeReader
from rewardware.sim.cocotb import simulate


def test_node_reader():
    config = TreeConfig(fanout=5, flits=3, slots=3, levels=3, banks=7, rows=8, nodes=50, reserve=2, group=2)
    simulate(
        NodeReader(config),
        bench="tests.hw.cores.tree.bench_node_reader",
        parameters={"config": config},
        after_noise=True,
    )
