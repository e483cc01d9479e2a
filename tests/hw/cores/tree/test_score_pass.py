"""Passes over the edges of nodes, one after another and side by side."""

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.score_pass import ScorePass
from rewardware.sim.cocotb import simulate

from ..side_by_side import SideBySide

SHAPES = {
    "uct": {"fanout": 5, "slots": 3, "flits": 2},
    "one_flit": {"fanout": 3, "slots": 2, "flits": 1, "policy": "puct"},
    "three_flits": {"fanout": 7, "slots": 5, "flits": 3, "policy": "puct_root"},
    "padded": {"fanout": 5, "slots": 2, "flits": 3, "policy": "puct_visits"},
}


def test_score_pass():
    shapes = {name: TreeConfig(levels=3, nodes=50, group=2, **shape) for name, shape in SHAPES.items()}
    simulate(
        SideBySide({name: ScorePass(config) for name, config in shapes.items()}),
        bench="tests.hw.cores.tree.bench_score_pass",
        parameters={"shapes": shapes},
        after_noise=True,
    )
