import dataclasses
import re

import pytest

from rewardware.hw.soc.export.formats.readme import readme
from rewardware.hw.soc.export.formats.register_table import register_table
from rewardware.hw.soc.export.package import FORMATS, package_files

from ..descriptions import CORE, SYSTEMS, description_of
from .packages import describe_kernel


@pytest.mark.parametrize("name", [*SYSTEMS, CORE])
def test_it_names_every_file_and_port(name):
    description = description_of(name)
    files = package_files(description)
    text = files["README.md"]
    assert all(f"`{file}`" in text for file in files if file != "README.md")
    assert all(f"| `{port.name}` | {port.direction} | {port.width} |" in text for port in description.ports)
    assert f"`{description.clocks[0].port}` 100 MHz" in text


@pytest.mark.parametrize("name", SYSTEMS)
def test_it_has_registers_instructions_and_rows(name):
    description = description_of(name)
    text = package_files(description)["README.md"]
    assert register_table(description.address_map).strip() in text
    assert "wait mask 11..4, fields" in text
    for part in (part for placed in description.address_map.registers for part in placed.item.fields):
        bits = part.offset if part.width == 1 else f"{part.offset + part.width - 1}..{part.offset}"
        assert f"| | `.{part.name}` | {bits} | | {part.description} |" in text
    assert all(f"| `{entry.name}` | {entry.opcode} |" in text for entry in description.instruction_set.formats)
    assert all(f"| `{row.name}` |" in text for row in description.rows)
    assert all(
        f"| {kind.__name__} | {kind(0).value} {kind(0).name.lower()}," in text for kind in description.enumerations
    )


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_bits_of_fields_follow_one_another(name):
    description = description_of(name)
    text = package_files(description)["README.md"]
    described = [
        (f"`{entry.name}` | {entry.opcode}", 12, entry.record) for entry in description.instruction_set.formats
    ]
    ways = {"in": "from the host", "out": "to the host"}
    described += [(f"`{row.name}` | {ways[row.direction]}", 0, row.record) for row in description.rows]
    for label, low, record in described:
        (line,) = (line for line in text.splitlines() if line.startswith(f"| {label} | "))
        for field in record.fields:
            end = low + field.width
            assert f"`{field.name}` {f'{end - 1}..{low}' if field.width > 1 else low}" in line
            low = end


def test_a_kernel_says_where_rows_stand():
    # Three words, in the power of two of bytes that holds them.
    text = package_files(describe_kernel())["README.md"]
    for name, of in (("m_axi_gmem0", "source"), ("m_axi_gmem1", "destination")):
        assert f"**`{name}`**, AXI4 master, 128 bits of data, 64 of address, a row every 16 bytes of the memory" in text
        assert f"`{of}_address_low`" in text


def test_the_instance_has_every_port():
    description = description_of("pearl")
    (instance,) = re.findall(r"```verilog\n(.*?)```", package_files(description)["README.md"], re.DOTALL)
    assert all(f".{port.name}({port.name})" in instance for port in description.ports)


def test_paths_between_clocks_are_exceptions():
    description = description_of("pearl")
    (clock,) = description.clocks
    second = dataclasses.replace(clock, port="core_clk", interfaces=())
    for clocks, said in (
        ((clock,), "no path needs an exception."),
        ((clock, second), "declares them asynchronous, as these files do."),
    ):
        assert said in readme(dataclasses.replace(description, clocks=clocks), [])


def test_what_was_not_checked_is_said():
    text = package_files(description_of("fixar"))["README.md"]
    assert "No vendor's tool has read anything of this folder, and no board has run it." in text
    assert all(entry.unchecked in text for entry in FORMATS if entry.write(description_of("fixar")))


def test_a_core_has_no_registers():
    text = package_files(description_of(CORE))["README.md"]
    assert "## Registers" not in text and "## Instructions" not in text and "## Rows" not in text


def test_nothing_unchecked_is_no_list():
    assert readme(description_of(CORE), []).endswith("and no board has run it.\n")
