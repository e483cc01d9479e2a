"""The shell's configuration and the hash of configurations."""

import dataclasses

import pytest

from rewardware.hw.cores.error_flags import ERROR_FLAGS
from rewardware.hw.soc.bus.registers import Access, Register
from rewardware.hw.soc.shell.config import ShellConfig, configuration_hash
from tests.hw.soc.shell.row_memory import INSTRUCTION_SET, RowMemoryConfig

GOOD = RowMemoryConfig().shell


def test_hash_is_the_same_everywhere_and_differs_for_others():
    assert configuration_hash(RowMemoryConfig()) == configuration_hash(RowMemoryConfig())
    hashes = {configuration_hash(RowMemoryConfig(lanes=lanes, depth=depth)) for lanes in (1, 2) for depth in (3, 4)}
    assert len(hashes) == 4
    assert configuration_hash(INSTRUCTION_SET) == 0x7F20FE3A
    assert GOOD.configuration_hash < 1 << 32


def test_accelerator_registers_stand_apart():
    built = GOOD.address_map
    assert built["offset"].address == 0x100
    assert built["rows_loaded"].address == 0x108
    assert built["errors"].item.width == len(ERROR_FLAGS)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"system_id": "LONGER"}, "System id must be four printable ASCII characters, not 'LONGER'"),
        ({"stream_width": 48}, "Stream width must be a multiple of 32, not 48"),
        ({"instruction_depth": 12}, "Instruction depth must be a power of two, not 12"),
        ({"stream_depth": 1}, "Stream depth must be at least 2, not 1"),
        ({"configuration_hash": 1 << 32}, "Configuration hash must be from 0 to 4294967295, not 4294967296"),
        (
            {"registers": (Register(name="status", access=Access.READ_ONLY),)},
            "Names in address map shell must differ, 'status' occurs twice",
        ),
        (
            {"instruction_set": dataclasses.replace(INSTRUCTION_SET, width=96)},
            "Width of an instruction in a shell must be a power of two, not 96",
        ),
    ],
)
def test_mistakes_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(GOOD, **change)


def test_wrong_kinds_are_named():
    with pytest.raises(TypeError, match="System id must be a string, not 5"):
        dataclasses.replace(GOOD, system_id=5)
    with pytest.raises(TypeError, match="Instruction set must be an InstructionSet, not 'x'"):
        ShellConfig(system_id="ABCD", configuration_hash=0, instruction_set="x", stream_width=32)
