"""Register descriptions, the address map and what is made from it."""

from pathlib import Path

import pytest

from rewardware.hw.cores.records import Field
from rewardware.hw.soc.bus.registers import Access, AddressMap, Placed, Register, RegisterField, Window
from rewardware.hw.soc.export.formats.register_table import register_table
from rewardware.hw.soc.shell.config import ShellConfig
from tests.hw.soc.shell.row_memory import INSTRUCTION_SET, RowMemoryConfig

RW, RO = Access.READ_WRITE, Access.READ_ONLY
MAP = RowMemoryConfig().shell.address_map
DOCUMENT = Path(__file__).parents[4] / "docs" / "shell.md"


def a_register(name="gain", **more):
    return Register(**({"name": name, "access": RW} | more))


def test_items_take_the_next_free_address():
    built = AddressMap(
        name="test",
        items=(a_register("a"), a_register("b", access=RO, width=40), a_register("c"), Window(name="w", size=64)),
    )
    assert [(entry.item.name, entry.address) for entry in built.placed] == [("a", 0), ("b", 8), ("c", 16), ("w", 64)]
    assert built.size == 128 and built.address_width == 7
    assert built["b"].end == 16 and "c" in built and "d" not in built


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: a_register("Gain"), "Register name must be a lower-case identifier, not 'Gain'"),
        (lambda: a_register(width=33), r"Width of register gain \(read-write\) must be from 1 to 32, not 33"),
        (lambda: a_register(access=RO, width=65), r"Width of register gain \(read-only\) must be from 1 to 64, not 65"),
        (lambda: a_register(width=4, reset=16), "Reset value of register gain must be from 0 to 15, not 16"),
        (
            lambda: a_register(access=Access.STROBE, reset=1),
            "Reset value of register gain must be 0, as its access is strobe",
        ),
        (
            lambda: a_register(fields=(RegisterField(Field("a", 3), 0), RegisterField(Field("b"), 2))),
            "Fields a and b of register gain overlap at bit 2",
        ),
        (
            lambda: a_register(width=8, fields=(RegisterField(Field("a", 5), 4),)),
            "Field a must end within the 8 bits of register gain, not at bit 8",
        ),
        (lambda: Window(name="w", size=12), "Size of window w must be a power of two, not 12"),
        (
            lambda: AddressMap(name="m", items=(Placed(0, Window(name="w", size=32)), Placed(28, a_register()))),
            r"In address map m, w \(0x0000 to 0x001f\) and gain \(0x001c to 0x001f\) overlap",
        ),
        (
            lambda: AddressMap(name="m", items=(Placed(2, a_register()),)),
            "Address of gain must be a multiple of 4, not 0x0002",
        ),
        (
            lambda: AddressMap(name="m", items=(a_register(), a_register())),
            "Names in address map m must differ, 'gain' occurs twice",
        ),
    ],
)
def test_mistakes_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: a_register(access="rw"), "Access of register gain must be an Access, not 'rw'"),
        (lambda: a_register(width=3.0), "must be an integer, not 3.0"),
        (lambda: AddressMap(name="m", items=("x",)), "must be a Register or Window, not 'x'"),
    ],
)
def test_wrong_kinds_are_named(make, message):
    with pytest.raises(TypeError, match=message):
        make()


def test_values_keep_their_sign():
    register = a_register(width=12, signed=True)
    for value in (-2048, -1, 0, 2047):
        assert register.to_value(register.to_raw(value)) == value
    with pytest.raises(ValueError, match="Value of register gain must be from -2048 to 2047, not 2048"):
        register.to_raw(2048)


def test_documentation_has_the_table_of_today():
    config = ShellConfig(
        system_id="DOCS", configuration_hash=0, instruction_set=INSTRUCTION_SET, stream_width=32, instruction_depth=1024
    )
    text = DOCUMENT.read_text()
    table = text.split("<!-- register map: begin -->\n")[1].split("<!-- register map: end -->")[0]
    assert table.strip() == register_table(config.address_map).strip()
