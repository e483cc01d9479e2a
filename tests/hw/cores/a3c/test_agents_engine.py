"""All units together: rollouts of several agents against the reference."""

import pytest

from rewardware.hw.cores.a3c.agents_engine import AgentsEngine
from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.sim.cocotb import simulate

from .configurations import HALF

CONFIGS = {
    "three": A3CConfig(
        sizes=(5, 7, 3), actions=2, agents=3, steps=5, width=3, forward_engines=2, gradient_engines=1, interval=2
    ),
    "one": A3CConfig(
        sizes=(3, 6), actions=5, agents=1, steps=1, width=4, forward_engines=1, backward_engines=1, arithmetic=HALF
    ),
    "eight": A3CConfig(sizes=(9, 8, 6, 5), actions=3, agents=8, steps=7, width=4, gradient_engines=4, interval=1),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_agents_engine(config):
    simulate(AgentsEngine(config), bench="tests.hw.cores.a3c.bench_agents_engine", parameters={"config": config})
