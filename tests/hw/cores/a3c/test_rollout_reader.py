"""Rollouts on their way to the loss, and errors on their way back."""

import pytest

from rewardware.hw.cores.a3c.rollout_reader import ErrorWriter, RolloutReader
from rewardware.sim.cocotb import simulate
from tests.hw.cores.side_by_side import SideBySide

from .configurations import PACKET_CONFIGURATIONS


@pytest.mark.parametrize("config", PACKET_CONFIGURATIONS.values(), ids=PACKET_CONFIGURATIONS)
def test_rollout_reader_and_error_writer(config):
    simulate(
        SideBySide({"reader": RolloutReader(config), "writer": ErrorWriter(config)}),
        bench="tests.hw.cores.a3c.bench_rollout_reader",
        parameters={"config": config},
        after_noise=True,
    )
