"""Requests of agents on their way in."""

import pytest

from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.hw.cores.a3c.entrance import Entrance
from rewardware.sim.cocotb import simulate

CONFIGS = {
    "three": A3CConfig(sizes=(7, 3), actions=3, agents=3, steps=2, width=4, gradient_engines=1),
    "one": A3CConfig(sizes=(1, 2), actions=2, agents=1, steps=1, width=2, gradient_engines=1),
    "whole": A3CConfig(sizes=(8, 2), actions=5, agents=5, steps=5, width=8),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_entrance(config):
    simulate(Entrance(config), bench="tests.hw.cores.a3c.bench_entrance", parameters={"config": config})


def test_words_without_room_for_a_reward_are_refused():
    with pytest.raises(ValueError, match="^Width must be at least 2, as requests have a header and a reward in a row"):
        Entrance(A3CConfig(width=1, gradient_engines=1))
