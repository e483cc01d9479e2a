"""The nodes that a stage holds."""

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.node_buffer import NodeBuffer
from rewardware.sim.cocotb import simulate

from ..side_by_side import SideBySide

SHAPES = {
    "five": {"fanout": 5, "flits": 2, "slots": 3},
    "seven": {"fanout": 7, "flits": 3, "slots": 5, "policy": "puct"},
    "three": {"fanout": 3, "flits": 1, "slots": 2},
}


def test_node_buffer():
    shapes = {
        name: TreeConfig(levels=3, banks=7, rows=16, reserve=4, nodes=50, group=2, **shape)
        for name, shape in SHAPES.items()
    }
    simulate(
        SideBySide({name: NodeBuffer(config) for name, config in shapes.items()}),
        bench="tests.hw.cores.tree.bench_node_buffer",
        parameters={"shapes": shapes},
        after_noise=True,
    )
