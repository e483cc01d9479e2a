"""The whole description as JSON, for generators of other projects. No Amaranth here.

Numbers are numbers, names are those of the project, and what does not apply to a design is empty.
"""

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

from ....cores.records import Field, Record
from ...bus.registers import AddressMap, Register
from ...sequencer.instructions import CONTROL, HEADER_WIDTH, OPCODE_WIDTH, Format, InstructionSet
from ...shell.row_record import RowRecord
from ..description import PackageDescription

__all__ = ["map_json"]


def map_json(description: PackageDescription, package: Iterable[str] = ()) -> str:
    """The text of ``NAME.json``.

    Parameters
    ----------
    description : PackageDescription
    package : iterable of str
        The other files of the package.
    """
    plain = dataclasses.asdict
    content: dict[str, Any] = {
        "design": description.design,
        "description": description.description,
        "version": description.version,
        "top": description.name,
        "files": list(description.files),
        "ports": [plain(port) for port in description.ports],
        "interfaces": [plain(interface) for interface in description.interfaces],
        "clocks": [plain(clock) for clock in description.clocks],
        "resets": [plain(reset) for reset in description.resets],
        "interrupts": [plain(interrupt) for interrupt in description.interrupts],
        "configuration": description.configuration,
        "configuration_hash": description.configuration_hash,
        "registers": _registers(description.address_map) if description.address_map is not None else [],
        "windows": _windows(description.address_map) if description.address_map is not None else [],
        "instruction_set": _instructions(description.instruction_set) if description.instruction_set else None,
        "rows": [_row(row) for row in description.rows],
        "enumerations": {
            enumeration.__name__: {value.name: value.value for value in enumeration}
            for enumeration in description.enumerations
        },
        "package": [*package, f"{description.name}.json"],
    }
    return json.dumps(content, indent=2, default=_name) + "\n"


def _name(value: Any) -> str:
    """The name of an enumeration's member, which JSON has no form for; any other value as text."""
    return str(getattr(value, "name", value))


def _registers(address_map: AddressMap) -> list[dict[str, Any]]:
    found = []
    for placed in address_map.registers:
        register = placed.item
        assert isinstance(register, Register)
        found.append(
            {
                "name": register.name,
                "address": placed.address,
                "size": register.size,
                "width": register.width,
                "access": register.access.value,
                "reset": register.reset,
                "signed": register.signed,
                "description": register.description,
                "fields": [
                    _field(part.field, part.offset, part.description) | {"reset": part.of(register.reset)}
                    for part in register.fields
                ],
            }
        )
    return found


def _windows(address_map: AddressMap) -> list[dict[str, Any]]:
    return [
        {
            "name": placed.item.name,
            "address": placed.address,
            "size": placed.item.size,
            "access": "write-only",
            "description": placed.item.description,
        }
        for placed in address_map.windows
    ]


def _field(field: Field, offset: int, description: str = "") -> dict[str, Any]:
    """``enumeration`` names one of the enumerations, or is None."""
    return {
        "name": field.name,
        "offset": offset,
        "width": field.width,
        "signed": field.signed,
        "enumeration": field.values.__name__ if field.values is not None else None,
        "description": description,
    }


def _fields(record: Record, first: int = 0) -> list[dict[str, Any]]:
    return [_field(field, first + offset) for field, offset in zip(record.fields, record.offsets, strict=True)]


def _instructions(instruction_set: InstructionSet) -> dict[str, Any]:
    """Offsets are those of the bits of an instruction."""
    return {
        "width": instruction_set.width,
        "opcode": {"offset": 0, "width": OPCODE_WIDTH},
        "wait": {"offset": OPCODE_WIDTH, "width": HEADER_WIDTH - OPCODE_WIDTH},
        "engines": list(instruction_set.engines),
        "formats": [_format(entry) for entry in (*instruction_set.formats, *CONTROL.values())],
    }


def _format(entry: Format) -> dict[str, Any]:
    """The sequencer's own instructions have no engine; ``default`` is None where a program must give a value."""
    fields = _fields(entry.record, HEADER_WIDTH)
    for described, operand in zip(fields, entry.arguments, strict=True):
        described |= {"default": operand.default, "description": operand.description}
    return {
        "name": entry.name,
        "engine": entry.engine,
        "opcode": entry.opcode,
        "description": entry.description,
        "fields": fields,
    }


def _row(row: RowRecord) -> dict[str, Any]:
    return {
        "name": row.name,
        "direction": row.direction,
        "width": row.width,
        "description": row.description,
        "fields": _fields(row.record),
        "constants": {name: int(value) for name, value in row.constants.items()},
    }
