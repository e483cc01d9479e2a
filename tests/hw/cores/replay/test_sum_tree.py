"""The sum tree against its reference."""

import pytest

from rewardware.hw.cores.replay.config import DISTRIBUTED_ROWS, SumTreeConfig
from rewardware.hw.cores.replay.sum_tree import SumTree
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(
    ("leaves", "fanout", "width", "lanes", "node_latency"),
    # Nodes of the last level are in distributed RAM, those of 150 and of 300 leaves in block RAM.
    [
        (2, 2, 1, 2, 2),
        (150, 2, 32, 1, 2),
        (150, 2, 32, 1, 1),
        (64, 16, 7, 1, 2),
        (100, 8, 32, 3, 2),
        (300, 4, 20, 2, 2),
        (33, 32, 32, 1, 1),
    ],
)
def test_sum_tree(leaves, fanout, width, lanes, node_latency):
    config = SumTreeConfig(
        leaves=leaves,
        fanout=fanout,
        priority_width=width,
        priority_fraction=0,
        lanes=lanes,
        node_latency=node_latency,
    )
    tree = SumTree(config)
    in_block_ram = sum(config.rows(level) > DISTRIBUTED_ROWS for level in range(config.depth))
    assert tree.latency == 9 + 3 * config.depth + (node_latency - 1) * in_block_ram
    simulate(
        tree,
        bench="tests.hw.cores.replay.bench_sum_tree",
        parameters={"config": config, "latency": tree.latency},
        after_noise=True,
    )
