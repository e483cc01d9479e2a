"""Answers to agents on their way out."""

import pytest

from rewardware.hw.cores.a3c.exit import Exit
from rewardware.sim.cocotb import simulate

from .configurations import PACKET_CONFIGURATIONS


@pytest.mark.parametrize("config", PACKET_CONFIGURATIONS.values(), ids=PACKET_CONFIGURATIONS)
def test_exit(config):
    simulate(Exit(config), bench="tests.hw.cores.a3c.bench_exit", parameters={"config": config}, after_noise=True)
