"""Registers as SystemRDL 2.0: PeakRDL makes HTML of it, other tools models for verification. No Amaranth here."""

import enum

from ...bus.registers import WORD_BYTES, Access, Placed, Register, RegisterField, Window
from ..description import PackageDescription

__all__ = ["files"]

_WORD_BITS = 8 * WORD_BYTES

# Accesses of software and hardware to a field. A strobe's value is an event, and reads as zero.
_PROPERTIES = {
    Access.CONSTANT: ("sw = r", "hw = na"),
    Access.READ_ONLY: ("sw = r", "hw = w"),
    Access.READ_WRITE: ("sw = rw", "hw = r"),
    Access.WRITE_ONE_TO_CLEAR: ("sw = rw", "onwrite = woclr", "hw = rw"),
    Access.STROBE: ("sw = w", "hw = r"),
}


def files(description: PackageDescription) -> dict[str, str]:
    """``NAME.rdl``; nothing for a design without registers.

    A register wider than 32 bits is one of 64 that is read word by word. Names are escaped, as SystemRDL reserves many.
    """
    if description.address_map is None:
        return {}
    registers = description.address_map.registers
    fields = [part for placed in registers for part in placed.item.fields]
    enumerations = dict.fromkeys(part.field.values for part in fields if part.field.values is not None)
    lines = [
        *(line for enumeration in enumerations for line in _enumeration(enumeration)),
        f"addrmap \\{description.name} {{",
        f"  desc = {_string(description.description)};",
        f"  default accesswidth = {_WORD_BITS};",
    ]
    for placed in registers:
        lines += _register(placed)
    for placed in description.address_map.windows:
        lines += _window(placed)
    return {f"{description.name}.rdl": "\n".join([*lines, "};", ""])}


def _enumeration(enumeration: type[enum.IntEnum]) -> list[str]:
    values = (f"  \\{value.name.lower()} = {value.value};" for value in enumeration)
    return [f"enum \\{enumeration.__name__} {{", *values, "};"]


def _register(placed: Placed) -> list[str]:
    register = placed.item
    assert isinstance(register, Register)
    if register.fields:
        parts = [line for part in register.fields for line in _field(register, part)]
    else:
        body = _body(register, register.reset, register.width, "")
        parts = [f"    field {{ {body} }} value[{register.width - 1}:0];"]
    return [
        "  reg {",
        f"    desc = {_string(register.description)};",
        f"    regwidth = {8 * register.size};",
        *parts,
        f"  }} \\{register.name} @ {placed.address:#x};",
    ]


def _field(register: Register, part: RegisterField) -> list[str]:
    body = _body(register, (register.reset & part.mask) >> part.offset, part.width, part.description)
    if part.field.values is not None:
        body += f" encode = \\{part.field.values.__name__};"
    return [f"    field {{ {body} }} \\{part.name}[{part.offset + part.width - 1}:{part.offset}];"]


def _body(register: Register, reset: int, width: int, description: str) -> str:
    """The properties of a field; what a strobe's field holds after a reset has no meaning."""
    properties = [*_PROPERTIES[register.access]]
    if register.access is not Access.STROBE:
        properties.append(f"reset = {width}'h{reset:x}")
    if description:
        properties.append(f"desc = {_string(description)}")
    return " ".join(f"{text};" for text in properties)


def _window(placed: Placed) -> list[str]:
    window = placed.item
    assert isinstance(window, Window)
    return [
        "  external mem {",
        f"    desc = {_string(window.description)};",
        f"    mementries = {window.size // WORD_BYTES};",
        f"    memwidth = {_WORD_BITS};",
        "    sw = w;",
        f"  }} \\{window.name} @ {placed.address:#x};",
    ]


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
