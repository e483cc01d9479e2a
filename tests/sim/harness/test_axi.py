"""The harness itself: limits and speed."""

import numpy as np
import pytest

from rewardware.hw.soc.devices import register_device
from rewardware.sim.harness.axi import AxiSimulation
from tests.hw.soc.shell.row_memory import DEVICE, RowMemoryConfig

register_device(DEVICE)
CONFIG = RowMemoryConfig()


def test_rows_out_of_a_reset_system_are_none_and_speed_is_told():
    with AxiSimulation(CONFIG) as simulation:
        before = simulation.cycle
        assert simulation.run(10_000) == 10_000
        assert simulation.cycle == before + 10_000
        assert simulation.cycles_per_second > 10_000
        rows, last = simulation.receive()
        assert rows.shape == (0, CONFIG.lanes) and last.shape == (0,)
        simulation.send(np.zeros((9, CONFIG.lanes), np.uint32))
        simulation.run(100)
        # Five rows fit the shell's buffer, nobody takes them.
        assert simulation.unsent == 4
        simulation.forget()
        # The row that is offered, and one that ends the packet.
        assert simulation.unsent == 2
    with pytest.raises(RuntimeError, match="The simulation is closed"):
        simulation.run(1)


def test_same_seed_same_stalls():
    def moved(seed):
        with AxiSimulation(CONFIG, seed=seed, stall=0.7) as simulation:
            simulation.send(np.zeros((5, CONFIG.lanes), np.uint32))
            return [simulation.run(1) and simulation.unsent for _ in range(40)]

    assert moved(1) == moved(1)
    assert moved(1) != moved(2)
    with pytest.raises(ValueError, match="Stall must be a probability from 0 to below 1, not 1.0"):
        AxiSimulation(CONFIG, stall=1.0)
