"""Where requests come in."""

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.entrance import Entrance
from rewardware.sim.cocotb import simulate

from ..side_by_side import SideBySide

# So few nodes that the last ones are being taken while further selections come.
SHAPES = {
    "three": {"fanout": 3, "workers": 7, "nodes": 6, "banks": 5},
    "five": {"fanout": 5, "workers": 11, "nodes": 13, "banks": 7, "policy": "puct"},
}


def test_entrance():
    shapes = {name: TreeConfig(levels=3, rows=4, reserve=2, group=2, **shape) for name, shape in SHAPES.items()}
    assert all(Entrance(config).latency == 3 for config in shapes.values())
    simulate(
        SideBySide({name: Entrance(config) for name, config in shapes.items()}),
        bench="tests.hw.cores.tree.bench_entrance",
        parameters={"shapes": shapes},
        after_noise=True,
    )
