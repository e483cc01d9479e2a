"""The design as a component of IP-XACT (IEEE 1685-2014). No Amaranth here."""

import enum
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from ...bus.interfaces import BusInterface
from ...bus.registers import WORD_BYTES, Access, AddressMap, Register
from ..description import PackageDescription, Port

__all__ = ["ACCESS", "NAMESPACE", "files"]

NAMESPACE = "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"
_SCHEMA = "http://www.w3.org/2001/XMLSchema-instance"
_WORD_BITS = 8 * WORD_BYTES

# Arm's definitions: the bus, and the names of its signals.
_AMBA = {"axi4lite": "AXI4-Lite", "axi4stream": "AXI4Stream", "axi4": "AXI4"}
_AMBA_VERSION = "r0p0_0"
_CLOCK, _RESET = "ACLK", "ARESETn"

# Accesses of software to a register, in the words of IP-XACT.
ACCESS = {
    Access.CONSTANT: "read-only",
    Access.READ_ONLY: "read-only",
    Access.READ_WRITE: "read-write",
    Access.WRITE_ONE_TO_CLEAR: "read-write",
    Access.STROBE: "write-only",
}


class _Word(NamedTuple):
    """A word of the map: a register, or a half of one that is wider than a word."""

    name: str
    description: str
    address: int
    register: Register
    fields: tuple["_Bits", ...]


class _Bits(NamedTuple):
    """A field of a word; ``lowest`` is the place of its first bit in the register."""

    name: str
    description: str
    offset: int
    width: int
    lowest: int
    values: type[enum.IntEnum] | None = None


def files(description: PackageDescription) -> dict[str, str]:
    """``ipxact/component.xml``; paths in it are relative to it.

    A register wider than 32 bits is two, ``NAME_low`` and ``NAME_high``. A core has its ports alone.
    """
    ElementTree.register_namespace("ipxact", NAMESPACE)
    ElementTree.register_namespace("xsi", _SCHEMA)
    component = Element(_tag("component"))
    component.set(f"{{{_SCHEMA}}}schemaLocation", f"{NAMESPACE} {NAMESPACE}/index.xsd")
    _add(component, vendor=description.vendor, library=description.library)
    _add(component, name=description.name, version=description.version)
    if description.interfaces:
        interfaces = _add(component, "busInterfaces")
        for interface in description.interfaces:
            _interface(interfaces, interface)
    _address_spaces(component, description)
    if description.address_map is not None:
        memory_map = _add(_add(component, "memoryMaps"), "memoryMap")
        _memory_map(memory_map, description.control.name, description.address_map)
    _model(_add(component, "model"), description)
    _files(_add(_add(component, "fileSets"), "fileSet"), description)
    _add(component, description=description.description)
    ElementTree.indent(component)
    text = ElementTree.tostring(component, encoding="unicode")
    return {"ipxact/component.xml": f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'}


def _tag(name: str) -> str:
    return f"{{{NAMESPACE}}}{name}"


def _add(parent: Element, *names: str, **texts: object) -> Element:
    """Elements without text, then elements with, in the order given; the last one."""
    element = parent
    for name, text in (*((name, None) for name in names), *texts.items()):
        element = SubElement(parent, _tag(name))
        element.text = None if text is None else str(text)
    return element


def _reference(parent: Element, name: str, library: str, bus: str) -> None:
    element = SubElement(parent, _tag(name))
    for key, value in (("vendor", "amba.com"), ("library", library), ("name", bus), ("version", _AMBA_VERSION)):
        element.set(key, value)


def _interface(parent: Element, interface: BusInterface) -> None:
    bus = _add(parent, "busInterface")
    _add(bus, name=interface.name, description=interface.description)
    _reference(bus, "busType", "AMBA4", _AMBA[interface.protocol])
    abstraction = _add(_add(bus, "abstractionTypes"), "abstractionType")
    _reference(abstraction, "abstractionRef", "AMBA4", f"{_AMBA[interface.protocol]}_rtl")
    maps = _add(abstraction, "portMaps")
    for logical, physical in {**interface.ports, _CLOCK: interface.clock, _RESET: interface.reset}.items():
        port_map = _add(maps, "portMap")
        _add(_add(port_map, "logicalPort"), name=logical)
        _add(_add(port_map, "physicalPort"), name=physical)
    mode = _add(bus, interface.mode)
    if interface.protocol == "axi4lite":
        _add(mode, "memoryMapRef").set("memoryMapRef", interface.name)
    elif interface.protocol == "axi4":
        _add(mode, "addressSpaceRef").set("addressSpaceRef", interface.name)
    _add(bus, bitsInLau=8)
    _add(bus, endianness="little")


def _address_spaces(component: Element, description: PackageDescription) -> None:
    """Address spaces that the masters of a memory bus reach."""
    masters = [interface for interface in description.interfaces if interface.protocol == "axi4"]
    if masters:
        spaces = _add(component, "addressSpaces")
        for interface in masters:
            space = _add(spaces, "addressSpace")
            _add(space, name=interface.name, range=1 << interface.address_width, width=interface.data_width)


def _words(address_map: AddressMap) -> Iterator[_Word]:
    for placed in address_map.registers:
        register, address = placed.item, placed.address
        if register.width > _WORD_BITS:
            high = register.width - _WORD_BITS
            for name, text, place, width in (
                ("low", "Low word, to be read first: it keeps the high word.", 0, _WORD_BITS),
                ("high", "High word.", _WORD_BITS, high),
            ):
                bits = _Bits("value", "", 0, width, place)
                text = f"{register.description} {text}"
                yield _Word(f"{register.name}_{name}", text, address + place // 8, register, (bits,))
        else:
            fields = tuple(
                _Bits(part.name, part.description, part.offset, part.width, part.offset, part.field.values)
                for part in register.fields
            )
            whole = _Bits("value", "", 0, register.width, 0)
            yield _Word(register.name, register.description, address, register, fields or (whole,))


def _memory_map(parent: Element, name: str, address_map: AddressMap) -> None:
    """A block for all registers, and one for each window."""
    _add(parent, name=name)
    end = max((placed.end for placed in address_map.registers), default=0)
    if end:
        block = _block(parent, "registers", 0, end, "register")
        for word in _words(address_map):
            _register(block, word)
    for placed in address_map.windows:
        window = placed.item
        block = _block(parent, window.name, placed.address, window.size, "memory", window.description)
        _add(block, access="write-only")
    _add(parent, addressUnitBits=8)


def _block(parent: Element, name: str, base: int, size: int, usage: str, description: str = "") -> Element:
    block = _add(parent, "addressBlock")
    _add(block, name=name)
    if description:
        _add(block, description=description)
    _add(block, baseAddress=f"'h{base:x}", range=size, width=_WORD_BITS, usage=usage)
    return block


def _register(block: Element, word: _Word) -> None:
    element, access = _add(block, "register"), word.register.access
    _add(element, name=word.name, description=word.description)
    _add(element, addressOffset=f"'h{word.address:x}", size=_WORD_BITS)
    # Fields that the hardware changes by itself.
    volatile = access in (Access.READ_ONLY, Access.WRITE_ONE_TO_CLEAR)
    _add(element, volatile=str(volatile).lower(), access=ACCESS[access])
    for bits in word.fields:
        _field(_add(element, "field"), word.register, bits)


def _field(field: Element, register: Register, bits: _Bits) -> None:
    _add(field, name=bits.name)
    if bits.description:
        _add(field, description=bits.description)
    _add(field, bitOffset=bits.offset)
    if register.access is not Access.STROBE:
        reset = register.reset >> bits.lowest & (1 << bits.width) - 1
        _add(_add(_add(field, "resets"), "reset"), value=f"'h{reset:x}")
    _add(field, bitWidth=bits.width)
    if register.access is Access.WRITE_ONE_TO_CLEAR:
        _add(field, modifiedWriteValue="oneToClear")
    if bits.values is not None:
        values = _add(field, "enumeratedValues")
        for value in bits.values:
            _add(_add(values, "enumeratedValue"), name=value.name.lower(), value=value.value)


def _model(parent: Element, description: PackageDescription) -> None:
    view = _add(_add(parent, "views"), "view")
    _add(view, name="rtl", componentInstantiationRef="verilog")
    instantiation = _add(_add(parent, "instantiations"), "componentInstantiation")
    _add(instantiation, name="verilog", language="Verilog", moduleName=description.name)
    _add(_add(instantiation, "fileSetRef"), localName="rtl")
    ports = _add(parent, "ports")
    for port in description.ports:
        _port(ports, port, description)


def _port(parent: Element, port: Port, description: PackageDescription) -> None:
    element = _add(parent, "port")
    _add(element, name=port.name)
    wire = _add(element, "wire")
    _add(wire, direction=port.direction)
    if port.width > 1:
        _add(_add(_add(wire, "vectors"), "vector"), left=port.width - 1, right=0)
    for clock in description.clocks:
        if clock.port == port.name:
            driver = _add(_add(_add(wire, "drivers"), "driver"), "clockDriver")
            driver.set("clockName", clock.port)
            _add(driver, clockPeriod=f"{clock.period_ns:.3f}", clockPulseOffset=0)
            _add(driver, clockPulseValue=1, clockPulseDuration=f"{clock.period_ns / 2:.3f}")


def _files(parent: Element, description: PackageDescription) -> None:
    _add(parent, name="rtl")
    for path in description.files:
        file = _add(parent, "file")
        _add(file, name=f"../{path}", fileType="verilogSource")
