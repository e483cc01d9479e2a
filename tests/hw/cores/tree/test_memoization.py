"""What a stage remembers of the workers' selections."""

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.memoization import Memoization
from rewardware.sim.cocotb import simulate

from ..side_by_side import SideBySide

SHAPES = {
    "alone": {"fanout": 5, "workers": 1, "group": 5},
    "some": {"fanout": 3, "workers": 11, "group": 3, "banks": 21},
}


def test_memoization():
    shapes = {name: TreeConfig(levels=3, nodes=50, **shape) for name, shape in SHAPES.items()}
    simulate(
        SideBySide({name: Memoization(config) for name, config in shapes.items()}),
        bench="tests.hw.cores.tree.bench_memoization",
        parameters={"shapes": shapes},
    )
