"""Requests of agents on their way in."""

import pytest

from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.hw.cores.a3c.entrance import Entrance
from rewardware.sim.cocotb import simulate

from .configurations import PACKET_CONFIGURATIONS


@pytest.mark.parametrize("config", PACKET_CONFIGURATIONS.values(), ids=PACKET_CONFIGURATIONS)
def test_entrance(config):
    simulate(
        Entrance(config), bench="tests.hw.cores.a3c.bench_entrance", parameters={"config": config}, after_noise=True
    )


def test_words_without_room_for_a_reward_are_refused():
    with pytest.raises(ValueError, match="^Width must be at least 2, as requests have a header and a reward in a row"):
        Entrance(A3CConfig(width=1, gradient_engines=1))
