"""The first half of a stage's service."""

from rewardware.hw.cores.tree.choice import Choice
from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.sim.cocotb import simulate

from ..side_by_side import SideBySide

# With the cycles that a request takes: as many as the selector has levels, two at least.
SHAPES = {
    "one_level": ({"fanout": 5, "group": 5, "slots": 3}, 2),
    "three_levels": ({"fanout": 7, "group": 2, "flits": 3, "slots": 7, "policy": "puct"}, 3),
    "two_levels": ({"fanout": 3, "group": 2, "flits": 1, "slots": 2, "policy": "puct_root", "comparison": "lookup"}, 2),
}


def test_choice():
    shapes = {name: (TreeConfig(levels=3, nodes=50, **shape), cycles) for name, (shape, cycles) in SHAPES.items()}
    simulate(
        SideBySide({name: Choice(config) for name, (config, _) in shapes.items()}),
        bench="tests.hw.cores.tree.bench_choice",
        parameters={"shapes": shapes},
        after_noise=True,
    )
