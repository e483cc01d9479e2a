"""The engine of a sum tree against the references of tree and draws."""

import pytest

from rewardware.hw.cores.replay.config import SumTreeConfig
from rewardware.hw.cores.replay.replay_engine import ReplayEngine
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize("lanes", [1, 3])
def test_replay_engine(lanes):
    config = SumTreeConfig(leaves=20, fanout=4, priority_width=12, priority_fraction=0, lanes=lanes)
    simulate(
        ReplayEngine(config),
        bench="tests.hw.cores.replay.bench_replay_engine",
        parameters={"config": config},
        after_noise=True,
    )
