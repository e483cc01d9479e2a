"""Answers and grants after the last level."""

import pytest

from rewardware.hw.cores.tree.config import TreeConfig
from rewardware.hw.cores.tree.exit import Exit
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(("levels", "policy"), [(4, "uct"), (6, "puct")])
def test_answers_and_grants(levels, policy):
    config = TreeConfig(levels=levels, banks=13, rows=8, nodes=50, reserve=4, policy=policy, workers=9)
    simulate(Exit(config), bench="tests.hw.cores.tree.bench_exit", parameters={"config": config}, after_noise=True)
