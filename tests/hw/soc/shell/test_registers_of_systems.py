"""Every system's registers begin with what its address map says, and answer by the rules of AXI4-Lite."""

import random

import pytest

from rewardware.hw.soc.bus.registers import Access
from rewardware.hw.soc.devices import devices
from rewardware.hw.soc.presets import load_preset, read_preset
from rewardware.hw.soc.shell.system import System
from rewardware.sim.harness.axi import AxiSimulation
from rewardware.sw.device.open import open_device
from tests.hw.soc.mcts.test_system import config_of

CONFIGS = {
    "fixar": lambda: load_preset("tiny"),
    "learninggroup": lambda: read_preset("small", "learninggroup").hardware,
    "mcts": lambda: config_of("uct"),
    "pearl": lambda: load_preset("small", "pearl"),
    "pearl_learner": lambda: load_preset("small", "pearl_learner"),
}


@pytest.mark.parametrize("system", CONFIGS)
def test_registers_begin_as_the_map_says(system):
    config = CONFIGS[system]()
    with open_device("sim", config) as device:
        # The simulated link enables its interrupt.
        device.write_register("interrupt_enable", 0)
        for placed in config.shell.address_map.registers:
            register = placed.item
            if register.access is not Access.STROBE:
                found = device.read_register(register.name)
                assert found == register.to_value(register.reset), register.name


OKAY, SLAVE_ERROR = 0, 2
ACCESSES = 600


@pytest.mark.parametrize("system", CONFIGS)
def test_every_access_is_answered_by_the_rules(system):
    """The simulation holds the slave to them; address, data and answers are held back at random."""
    config, choose = CONFIGS[system](), random.Random(system)
    address_map = config.shell.address_map
    access = {
        address: placed.item.access
        for placed in address_map.registers
        for address in range(placed.address, placed.end, 4)
    }
    program = address_map["program"].address
    written = {Access.READ_WRITE, Access.WRITE_ONE_TO_CLEAR}
    seen = set()
    with AxiSimulation(config, seed=3, stall=0.5) as simulation:
        for _ in range(ACCESSES):
            address = choose.choice(
                [choose.choice(list(access)), 4 * choose.randrange((1 << address_map.address_width) // 4)]
            )
            good = address in access
            assert simulation.read(address)[1] == (OKAY if good else SLAVE_ERROR), f"read of {address:#x}"
            seen.add((False, good))
            # Registers that start something have tests of their own.
            if access.get(address) is not Access.STROBE:
                good = address >= program or access.get(address) in written
                assert simulation.write(address, 0) == (OKAY if good else SLAVE_ERROR), f"write to {address:#x}"
                seen.add((True, good))
    assert len(seen) == 4


def test_every_system_has_the_slave_that_is_proved():
    """All are a :class:`System`, which gives the host's port to the shell alone."""
    found = [device.component_class for device in devices().values() if device.component.startswith("rewardware.")]
    assert len(found) > len(CONFIGS)
    assert all(issubclass(system, System) and system.elaborate is System.elaborate for system in found)
