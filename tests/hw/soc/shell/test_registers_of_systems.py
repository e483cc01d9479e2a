"""Every system's registers begin with what its address map says."""

import pytest

from rewardware.hw.soc.bus.registers import Access
from rewardware.hw.soc.presets import load_preset, read_preset
from rewardware.sw.device.open import open_device

CONFIGS = {
    "fixar": lambda: load_preset("tiny"),
    "learninggroup": lambda: read_preset("small", "learninggroup").hardware,
    "mcts": lambda: load_preset("small", "mcts"),
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
