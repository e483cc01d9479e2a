"""The second half of a stage's service."""

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.update import Update
from rewardware.sim.cocotb import simulate

from ..side_by_side import SideBySide

SHAPES = {
    "five": {"fanout": 5, "slots": 3, "policy": "puct"},
    "seven": {"fanout": 7, "flits": 3, "slots": 5},
}


def test_update():
    shapes = {name: TreeConfig(levels=5, banks=7, nodes=50, group=2, **shape) for name, shape in SHAPES.items()}
    simulate(
        SideBySide({name: Update(config) for name, config in shapes.items()}),
        bench="tests.hw.cores.tree.bench_update",
        parameters={"shapes": shapes},
        after_noise=True,
    )
