"""The self-test on a device that is well, on those of all systems with rows, and on one that is not."""

import numpy as np
import pytest

from rewardware.hw.soc.presets import read_preset
from rewardware.sim.harness.uart import SimulatedBoard
from rewardware.sw.device.device import ShellDevice
from rewardware.sw.device.open import open_device
from rewardware.sw.device.self_test import measure_clock, self_test
from tests.hw.soc.shell.row_memory import INSTRUCTION_SET
from tests.sw.device.test_simulation import CONFIG, HALT, check_round_trip, random_rows

NAMES = ["soft reset", "registers", "refusal", "errors", "program", "rows"]


@pytest.fixture(scope="module")
def board():
    with SimulatedBoard(CONFIG) as board:
        yield board


@pytest.fixture
def device(board):
    with open_device(f"uart:{board.port}", CONFIG, timeout=0.5) as device:
        device.soft_reset()
        yield device


def outcome(device):
    return {result.name: result.passed for result in self_test(device)}


def test_a_device_that_is_well_passes_and_keeps_what_it_had(device):
    check_round_trip(device, count=9, base=0)
    device.write_register("interrupt_enable", 2)
    results = list(self_test(device))
    assert [result.name for result in results] == NAMES
    assert all(result.passed for result in results), results
    assert results[-1].text == f"4 rows of {32 * CONFIG.lanes} bits went to a memory and came back"
    assert device.read_register("interrupt_enable") == 2
    device.load_program([INSTRUCTION_SET.encode("store", base=0, count=9), HALT])
    device.run()
    np.testing.assert_array_equal(device.receive(9), random_rows(9))


def test_the_clock_is_counted(device):
    assert measure_clock(device, seconds=0.05) > 0
    check_round_trip(device)


class Broken(ShellDevice):
    """A device of which a check finds what is wrong."""

    def __init__(self, device, wrong):
        vars(self).update(vars(device))
        self._wrong = wrong

    def write(self, address, value):
        super().write(address, value & ~1 if self._wrong == "registers" else value)

    def read(self, address):
        if self._wrong == "refusal" and not any(entry.address == address for entry in self._map.placed):
            return 0
        return super().read(address)

    def read_register(self, name):
        return 5 if (self._wrong, name) == ("program", "retired") else super().read_register(name)

    def receive(self, count):
        rows = super().receive(count)
        return rows ^ np.uint32(4) if self._wrong == "rows" else rows


@pytest.mark.parametrize("wrong", ["registers", "refusal", "program", "rows"])
def test_what_is_wrong_fails_its_check_alone(device, wrong):
    assert outcome(Broken(device, wrong)) == {name: name != wrong for name in NAMES}


@pytest.mark.parametrize(("system", "rows"), [("fixar", True), ("pearl", None)])
def test_systems_allow_it(system, rows):
    config = read_preset("small", system).hardware
    with open_device("sim", config) as device:
        found = outcome(device)
    assert found.pop("rows") is rows
    assert set(found.values()) == {True}
