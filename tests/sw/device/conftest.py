"""A simulated board behind a pseudo-terminal, and the device that the driver opens there."""

import pytest

from rewardware.sim.harness.uart import SimulatedBoard
from rewardware.sw.device.open import open_device
from tests.sw.device.test_simulation import CONFIG


@pytest.fixture(scope="module")
def board():
    with SimulatedBoard(CONFIG) as board:
        yield board


@pytest.fixture
def device(board):
    with open_device(f"uart:{board.port}", CONFIG, timeout=0.5) as device:
        device.soft_reset()
        yield device
