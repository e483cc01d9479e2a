"""The self-test on a device that is well, on those of all systems with rows, and on one that is not."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from rewardware.hw.soc.presets import read_preset
from rewardware.sw.device.device import ShellDevice
from rewardware.sw.device.open import open_device
from rewardware.sw.device.self_test import measure_clock, self_test
from tests.hw.soc.shell.row_memory import INSTRUCTION_SET
from tests.sw.device.test_simulation import CONFIG, HALT, check_round_trip, random_rows

NAMES = ["soft reset", "registers", "refusal", "errors", "program", "rows"]


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


def test_the_clock_is_counted(device, monkeypatch):
    assert measure_clock(device, seconds=0.05) > 0
    check_round_trip(device)
    now, read_register = [100.0], device.read_register
    time = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: now.append(now.pop() + seconds))
    monkeypatch.setattr("rewardware.sw.device.self_test.time", time)
    monkeypatch.setattr(
        device, "read_register", lambda name: round(80e6 * (now[0] - 99)) if name == "cycles" else read_register(name)
    )
    assert measure_clock(device, seconds=0.5) == 80


class Broken(ShellDevice):
    """A device of which a check finds what is wrong."""

    def __init__(self, device, wrong):
        vars(self).update(vars(device))
        self._wrong = wrong
        # The first that is read of a register: after the first soft reset.
        self._first = {"state": {"status": 1}, "flags": {"errors": 1}}.get(wrong, {})

    def write(self, address, value):
        super().write(address, value & ~1 if self._wrong == "registers" else value)

    def read(self, address):
        if self._wrong == "refusal" and not any(entry.address == address for entry in self._map.placed):
            return 0
        return super().read(address)

    def read_register(self, name):
        found = 5 if (self._wrong, name) == ("program", "retired") else super().read_register(name)
        return self._first.pop(name, found)

    def load_program(self, instructions, address=0):
        if instructions == [0] and self._wrong in ("no fault", "other fault"):
            instructions = [HALT] if self._wrong == "no fault" else [INSTRUCTION_SET.encode("load", base=0, count=1)]
            self.send(random_rows(2))
        super().load_program(instructions, address)

    def receive(self, count):
        rows = super().receive(count)
        return {"rows": rows ^ np.uint32(4), "zeros": np.zeros_like(rows)}.get(self._wrong, rows)


@pytest.mark.parametrize(
    ("wrong", "check", "words"),
    [
        ("state", "soft reset", "State after a soft reset is running, not idle"),
        ("flags", "soft reset", "Register errors after a soft reset is 1, not 0"),
        ("registers", "registers", "Register .*, written 0x.*5, is .*4, not"),
        ("refusal", "refusal", "which is unused, was not refused"),
        ("no fault", "errors", "An invalid instruction raised no error"),
        ("other fault", "errors", r"is none raised is \('stream_overflow',\), not \('bad_instruction',\)"),
        ("program", "program", "retired is 5, not 4"),
        ("rows", "rows", "Word . of row . came back as 0x.*, not 0x"),
        ("zeros", "rows", "Rows of ones came back as zeros"),
    ],
)
def test_what_is_wrong_fails_its_check_alone(device, wrong, check, words):
    (failed,) = (result for result in self_test(Broken(device, wrong)) if not result.passed)
    assert failed.name == check and re.search(words, failed.text)


@pytest.mark.parametrize(("system", "rows"), [("fixar", True), ("pearl", None)])
def test_systems_allow_it(system, rows):
    config = read_preset("small", system).hardware
    with open_device("sim", config) as device:
        found = outcome(device)
    assert found.pop("rows") is rows
    assert set(found.values()) == {True}
