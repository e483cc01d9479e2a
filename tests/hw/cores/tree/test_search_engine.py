"""The engine of a search tree."""

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.records import flit_rows
from rewardware.hw.cores.tree.search_engine import SearchEngine
from rewardware.sim.cocotb import simulate

from ..side_by_side import SideBySide

# Flits of 5 rows, all bits used, and of 3 rows.
SHAPES = {
    "five": {"fanout": 5, "flits": 2, "slots": 3, "banks": 7},
    "three": {"fanout": 3, "flits": 3, "slots": 5, "banks": 5, "policy": "puct"},
}


def test_search_engine():
    shapes = {
        name: TreeConfig(levels=3, rows=4, nodes=9, reserve=2, group=2, **shape) for name, shape in SHAPES.items()
    }
    assert [flit_rows(config) for config in shapes.values()] == [5, 3]
    simulate(
        SideBySide({name: SearchEngine(config) for name, config in shapes.items()}),
        bench="tests.hw.cores.tree.bench_search_engine",
        parameters={"shapes": shapes},
        after_noise=True,
    )
