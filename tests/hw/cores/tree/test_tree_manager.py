"""Changes of the whole tree."""

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.tree_manager import TreeManager
from rewardware.sim.cocotb import simulate

from ..side_by_side import SideBySide

SHAPES = {
    "three": {"fanout": 3, "levels": 3, "flits": 1, "banks": 5},
    "five": {"fanout": 5, "levels": 2, "flits": 3, "banks": 7, "policy": "puct"},
    "seven": {"fanout": 7, "levels": 6, "flits": 2, "banks": 6},
}


def test_tree_manager():
    shapes = {name: TreeConfig(rows=4, reserve=2, nodes=8, group=2, **shape) for name, shape in SHAPES.items()}
    simulate(
        SideBySide({name: TreeManager(config) for name, config in shapes.items()}),
        bench="tests.hw.cores.tree.bench_tree_manager",
        parameters={"shapes": shapes},
        after_noise=True,
    )
