"""A stranger's assembler, made from the JSON alone, says the same bits as the project."""

import json
import random

import pytest

from rewardware.hw.soc.export.formats.map_json import map_json
from rewardware.hw.soc.target.clocks import ANY_CLOCK

from ..descriptions import CORE, SYSTEMS, description_of


def packed(fields, values):
    """The word of values, as the JSON says it."""
    word = 0
    for field in fields:
        word |= (values[field["name"]] & (1 << field["width"]) - 1) << field["offset"]
    return word


def drawn(source, fields, record):
    """A value in the range of each field."""
    assert [(field["name"], field["signed"]) for field in fields] == [
        (field.name, field.signed) for field in record.fields
    ]
    return {field["name"]: source.randint(*part.range) for field, part in zip(fields, record.fields, strict=True)}


@pytest.mark.parametrize("name", SYSTEMS)
def test_programs_and_rows_can_be_made_from_it(name):
    description, source = description_of(name), random.Random(name)
    content = json.loads(map_json(description))
    instructions, known = content["instruction_set"], description.instruction_set
    assert instructions["width"] == known.width
    assert [entry["name"] for entry in instructions["formats"]] == [
        *(entry.name for entry in known.formats),
        "wait",
        "halt",
    ]
    for entry in instructions["formats"]:
        control = entry["name"] in ("wait", "halt")
        form = known.format(entry["name"]) if not control else None
        record = form.record if form else None
        values = drawn(source, entry["fields"], record) if record else {field["name"]: 3 for field in entry["fields"]}
        waits = source.sample(instructions["engines"], k=source.randint(0, len(instructions["engines"])))
        word = packed(entry["fields"], values) | entry["opcode"] << instructions["opcode"]["offset"]
        for engine in waits:
            word |= 1 << instructions["wait"]["offset"] + instructions["engines"].index(engine)
        if record:
            assert (entry["engine"], entry["description"]) == (form.engine, form.description)
            assert [field["default"] for field in entry["fields"]] == [operand.default for operand in form.arguments]
        assert word == known.encode(entry["name"], wait=waits, **values)
    for row, told in zip(description.rows, content["rows"], strict=True):
        values = drawn(source, told["fields"], row.record) | told["constants"]
        assert packed(told["fields"], values) == row.record.pack(values)
        assert (told["direction"], told["width"]) == (row.direction, row.width)


@pytest.mark.parametrize("name", SYSTEMS)
def test_it_has_the_whole_map(name):
    description = description_of(name)
    content, address_map = json.loads(map_json(description)), description.address_map
    assert [(entry["name"], entry["address"], entry["reset"]) for entry in content["registers"]] == [
        (placed.item.name, placed.address, placed.item.reset) for placed in address_map.registers
    ]
    assert [(entry["name"], entry["address"], entry["size"]) for entry in content["windows"]] == [
        (placed.item.name, placed.address, placed.item.size) for placed in address_map.windows
    ]
    told = {entry["name"]: entry for entry in content["registers"]}
    assert content["configuration_hash"] == told["configuration_hash"]["reset"]
    for placed in address_map.registers:
        entry, register = told[placed.item.name], placed.item
        assert (entry["access"], entry["width"]) == (register.access.value, register.width)
        assert (entry["size"], entry["signed"]) == (register.size, register.signed)
        fields = entry["fields"]
        assert [(field["name"], field["offset"], field["width"]) for field in fields] == [
            (part.name, part.offset, part.width) for part in placed.item.fields
        ]
        assert sum(field["reset"] << field["offset"] for field in fields) == (placed.item.reset if fields else 0)


@pytest.mark.parametrize("name", SYSTEMS)
def test_enumerations_are_those_that_fields_name(name):
    content = json.loads(map_json(description_of(name)))
    groups = [*content["registers"], *content["instruction_set"]["formats"], *content["rows"]]
    named = {field["enumeration"] for group in groups for field in group["fields"]} - {None}
    assert named == set(content["enumerations"])
    assert content["enumerations"]["State"] == {"IDLE": 0, "RUNNING": 1, "DONE": 2, "ERROR": 3}


def test_ports_clocks_and_buses_are_there():
    content = json.loads(map_json(description_of("fixar"), ["other"]))
    assert {"name": "s_axi_ctrl_wdata", "direction": "in", "width": 32} in content["ports"]
    assert content["clocks"] == [
        {
            "port": "aclk",
            "frequency_mhz": 100.0,
            "interfaces": ["s_axi_ctrl", "s_axis", "m_axis"],
            "source": ANY_CLOCK.source,
        }
    ]
    assert content["resets"] == [{"port": "aresetn", "active_low": True, "clock": "aclk"}]
    assert content["interrupts"][0]["port"] == "interrupt"
    assert content["interfaces"][0]["ports"]["AWADDR"] == "s_axi_ctrl_awaddr"
    assert content["package"] == ["other", "fixar.json"]
    assert content["configuration"]["cores"]


def test_what_a_core_does_not_have_is_empty():
    content = json.loads(map_json(description_of(CORE)))
    empty = ("interfaces", "registers", "windows", "instruction_set", "rows", "enumerations", "configuration_hash")
    assert not any(content[name] for name in empty)
    assert content["ports"] and content["clocks"]
