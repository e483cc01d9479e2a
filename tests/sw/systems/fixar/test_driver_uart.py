"""FIXAR on a simulated board: the driver and the bits are those of every other link."""

import numpy as np

from rewardware.hw.soc.fixar.config import FixarConfig, Networks
from rewardware.sim.harness.uart import SimulatedBoard
from rewardware.sw.device.open import open_device
from rewardware.sw.reference.fixar import FixarReference
from rewardware.sw.systems.fixar.driver import FixarDevice
from tests.hw.soc.fixar.test_system import RATES, batch_of, differences, random_state

# A wire of one bit is slow: the smallest device that does everything.
CONFIG = FixarConfig(
    name="wire",
    cores=1,
    lanes=2,
    vectors=4,
    weight_rows=48,
    activation_rows=128,
    error_rows=96,
    accumulator_depth=16,
    batch_limit=8,
    instruction_depth=256,
)
NETWORKS = Networks(observation_size=2, action_size=1, hidden_sizes=(5, 3))


def test_trains_over_uart_as_the_reference():
    rng = np.random.default_rng(3)
    reference = FixarReference(CONFIG, NETWORKS, RATES, seed=11)
    with SimulatedBoard(CONFIG) as board, open_device(f"uart:{board.port}", CONFIG) as link:
        device = FixarDevice(link, CONFIG, NETWORKS, RATES, seed=11)
        state = random_state(reference, rng, 1 << 23)
        reference.load(state)
        device.load(state)
        observations = rng.normal(size=(1, 2))
        assert np.array_equal(reference.act(observations, True), device.act(observations, True))
        batch = batch_of(NETWORKS, 7, rng)
        assert np.array_equal(reference.train(batch), device.train(batch))
        assert not differences(reference, device)
