"""All engines together, against the reference of all agents."""

import pytest

from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.hw.cores.float.config import BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.config import BINARY32_LANE
from rewardware.sim.cocotb import simulate

from .all_engines import AllEngines

HALF = FloatLaneConfig(format=BINARY16, adder_depth=3, multiplier_depth=1)


@pytest.mark.parametrize("arithmetic", [BINARY32_LANE, HALF], ids=["binary32", "binary16"])
def test_engines(arithmetic):
    config = A3CConfig(
        sizes=(5, 7, 3),
        actions=2,
        agents=5,
        steps=3,
        width=4,
        forward_engines=2,
        backward_engines=2,
        gradient_engines=2,
        interval=2,
        arithmetic=arithmetic,
    )
    simulate(
        AllEngines(config),
        bench="tests.hw.cores.a3c.bench_engines",
        parameters={"config": config},
    )
