"""Registers, instructions and rows for C. No Amaranth here.

Every name begins with that of the package, so that the headers of several designs stand beside each other.
"""

import enum
import re
from collections.abc import Iterable, Iterator

from ....cores.records import Field, Record
from ...bus.registers import AddressMap, Register
from ...sequencer.instructions import CONTROL, HEADER_WIDTH, OPCODE_WIDTH, InstructionSet
from ...shell.row_record import RowRecord
from ..description import PackageDescription

__all__ = ["files"]


def files(description: PackageDescription) -> dict[str, str]:
    """``NAME.h``; nothing for a design without registers."""
    if description.address_map is None or description.instruction_set is None:
        return {}
    prefix = description.name.upper()
    sections = (
        ("Registers: addresses in bytes, values after a reset, fields.", _registers(prefix, description.address_map)),
        ("Values of fields.", _enumerations(prefix, description.enumerations)),
        (
            "Instructions, lowest bit first: opcode, wait mask, fields. A field may lie in two words of 32 bits.",
            _instructions(prefix, description.instruction_set),
        ),
        ("Rows of the streams, lowest bit first.", _rows(prefix, description.rows)),
    )
    lines = [
        f"/* {description.name}: {description.description} */",
        f"#ifndef {prefix}_H",
        f"#define {prefix}_H",
        "",
        *_identity(prefix, description),
    ]
    for title, content in sections:
        lines += ["", f"/* {title} */", *content]
    return {f"{description.name}.h": "\n".join([*lines, "", "#endif", ""])}


def _define(*parts: str, value: str, comment: str = "") -> str:
    """A macro, whose name the parts are joined to."""
    text = f"#define {'_'.join(parts).upper()} {value}"
    return f"{text} /* {comment} */" if comment else text


def _hexadecimal(value: int, width: int) -> str:
    return f"0x{value:x}{'ull' if width > 32 else 'u'}"


def _identity(prefix: str, description: PackageDescription) -> Iterator[str]:
    for interface in description.interfaces:
        if interface.protocol == "axi4stream":
            yield _define(prefix, interface.name, "width", value=str(interface.data_width), comment="bits of a row")


def _registers(prefix: str, address_map: AddressMap) -> Iterator[str]:
    for placed in address_map.placed:
        item = placed.item
        yield _define(
            prefix, item.name, "address", value=f"0x{placed.address:08x}u", comment=item.description.replace("*/", "")
        )
        if isinstance(item, Register):
            yield _define(prefix, item.name, "reset", value=_hexadecimal(item.reset, item.width))
            for part in item.fields:
                yield _define(prefix, item.name, part.name, "offset", value=str(part.offset), comment=part.description)
                yield _define(prefix, item.name, part.name, "mask", value=_hexadecimal(part.mask, item.width))
        else:
            yield _define(prefix, item.name, "size", value=f"0x{item.size:x}u", comment="bytes")


def _enumerations(prefix: str, enumerations: Iterable[type[enum.IntEnum]]) -> Iterator[str]:
    for enumeration in enumerations:
        kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", enumeration.__name__)
        for value in enumeration:
            yield _define(prefix, kind, value.name, value=f"{value.value}u")


def _fields(parts: tuple[str, ...], record: Record, first: int = 0) -> Iterator[str]:
    """Lowest bit and width of each field; ``first`` is the lowest bit of the first one."""
    for field, offset in zip(record.fields, record.offsets, strict=True):
        yield _define(*parts, field.name, "offset", value=str(first + offset), comment=_kind(field))
        yield _define(*parts, field.name, "width", value=str(field.width))


def _kind(field: Field) -> str:
    """A comment on the content of a field, where that is no plain number."""
    if field.values is not None:
        return f"a value of {field.values.__name__}"
    return "two's complement" if field.signed else ""


def _instructions(prefix: str, instruction_set: InstructionSet) -> Iterator[str]:
    yield _define(prefix, "instruction_width", value=str(instruction_set.width), comment="bits")
    yield _define(prefix, "instruction_opcode_width", value=str(OPCODE_WIDTH))
    yield _define(prefix, "instruction_wait_offset", value=str(OPCODE_WIDTH))
    yield _define(prefix, "instruction_wait_width", value=str(HEADER_WIDTH - OPCODE_WIDTH))
    for place, engine in enumerate(instruction_set.engines):
        yield _define(prefix, "engine", engine, value=f"0x{1 << place:x}u", comment="in the wait mask")
    for entry in (*instruction_set.formats, *CONTROL.values()):
        name = (prefix, "instruction", entry.name)
        yield _define(*name, "opcode", value=f"{entry.opcode}u", comment=entry.description)
        yield from _fields(name, entry.record, HEADER_WIDTH)


def _rows(prefix: str, rows: Iterable[RowRecord]) -> Iterator[str]:
    for row in rows:
        name = (prefix, "row", row.name)
        direction = "from the host" if row.direction == "in" else "to the host"
        yield _define(*name, "width", value=str(row.width), comment=f"{direction}: {row.description}")
        yield from _fields(name, row.record)
        for field, value in row.constants.items():
            yield _define(*name, field, "value", value=f"{int(value)}u")
