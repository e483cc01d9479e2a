"""Where requests come in."""

import pytest

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.entrance import Entrance
from rewardware.sim.cocotb import simulate

from ..side_by_side import SideBySide

# So few nodes that the last ones are being taken while further selections come.
SHAPES = {
    "three": {"fanout": 3, "workers": 7, "nodes": 6, "banks": 5},
    "five": {"fanout": 5, "workers": 11, "nodes": 13, "banks": 7, "policy": "puct"},
}
# So few selections that trees come to the end of them.
MOST_SELECTIONS = {"three": 21, "five": 42}


def entrances():
    for name, shape in SHAPES.items():
        config = TreeConfig(levels=3, rows=4, reserve=2, group=2, **shape)
        yield name, Entrance(config, MOST_SELECTIONS[name])


def test_entrance():
    cores = dict(entrances())
    assert all(core.latency == 3 for core in cores.values())
    simulate(
        SideBySide(cores),
        bench="tests.hw.cores.tree.bench_entrance",
        parameters={"shapes": {name: (core.config, core.most_selections) for name, core in cores.items()}},
        after_noise=True,
    )


def test_bad_number_of_selections():
    with pytest.raises(ValueError, match="^Most selections must be from 1 to 65535, not 65536$"):
        Entrance(TreeConfig(), 1 << 16)
    with pytest.raises(TypeError, match="^Most selections must be an integer, not 1.5$"):
        Entrance(TreeConfig(), 1.5)
