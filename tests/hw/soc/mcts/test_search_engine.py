"""The engine of a search device."""

from rewardware.hw.soc.mcts.config import MCTSConfig
from rewardware.hw.soc.mcts.search_engine import SearchEngine
from rewardware.sim.cocotb import simulate
from tests.hw.cores.side_by_side import SideBySide

# Flits of 5 rows, all bits used, and of 3 rows.
SHAPES = {
    "five": {"fanout": 5, "flits": 2, "slots": 3, "banks": 7},
    "three": {"fanout": 3, "flits": 3, "slots": 5, "banks": 5, "policy": "puct"},
}


def test_search_engine():
    shapes = {
        name: MCTSConfig(levels=3, rows=4, nodes=9, reserve=2, group=2, **shape) for name, shape in SHAPES.items()
    }
    assert [config.flit_rows for config in shapes.values()] == [5, 3]
    simulate(
        SideBySide({name: SearchEngine(config) for name, config in shapes.items()}),
        bench="tests.hw.soc.mcts.bench_search_engine",
        parameters={"shapes": shapes},
    )
