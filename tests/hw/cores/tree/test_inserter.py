"""Rows for new nodes."""

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.inserter import Inserter
from rewardware.sim.cocotb import simulate

from ..side_by_side import SideBySide

SHAPES = {
    # Blocks of one row, each of which asks for the next one.
    "single": {"rows": 2, "reserve": 2, "bank_assignment": "next_empty"},
    "pairs": {"rows": 2, "reserve": 1},
    # The first row of a block asks, as the block is not larger than the reserve.
    "first": {"rows": 4, "reserve": 4},
    "banks": {"rows": 16, "reserve": 5},
    "shared": {"rows": 64, "reserve": 3, "bank_assignment": "next_empty"},
}


def test_inserter():
    shapes = {name: TreeConfig(levels=3, banks=7, nodes=14, **shape) for name, shape in SHAPES.items()}
    simulate(
        SideBySide({name: Inserter(config) for name, config in shapes.items()}),
        bench="tests.hw.cores.tree.bench_inserter",
        parameters={"shapes": shapes},
        after_noise=True,
    )
