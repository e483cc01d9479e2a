"""Tags of the nodes that a stage holds."""

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.node_tags import NodeTags
from rewardware.sim.cocotb import simulate

from ..side_by_side import SideBySide

SHAPES = {"two": {"slots": 2, "flits": 1}, "three": {"slots": 3}, "seven": {"slots": 7, "flits": 3}}


def test_node_tags():
    shapes = {name: TreeConfig(levels=3, banks=5, nodes=50, **shape) for name, shape in SHAPES.items()}
    simulate(
        SideBySide({name: NodeTags(config) for name, config in shapes.items()}),
        bench="tests.hw.cores.tree.bench_node_tags",
        parameters={"shapes": shapes},
        after_noise=True,
    )
