"""An address map for whoever does not speak Python: JSON, C header, documentation table. No Amaranth here."""

import json

from .registers import AddressMap, Register

__all__ = ["to_c_header", "to_json", "to_table"]


def to_json(address_map: AddressMap) -> str:
    """Every register, field and window with its address, as JSON."""
    registers, windows = [], []
    for placed in address_map.placed:
        item = placed.item
        if isinstance(item, Register):
            fields = [
                {"name": part.name, "offset": part.offset, "width": part.width, "description": part.description}
                for part in item.fields
            ]
            registers.append(
                {
                    "name": item.name,
                    "address": placed.address,
                    "width": item.width,
                    "access": item.access.value,
                    "reset": item.reset,
                    "signed": item.signed,
                    "description": item.description,
                    "fields": fields,
                }
            )
        else:
            windows.append(
                {"name": item.name, "address": placed.address, "size": item.size, "description": item.description}
            )
    return json.dumps({"name": address_map.name, "registers": registers, "windows": windows}, indent=2) + "\n"


def to_c_header(address_map: AddressMap) -> str:
    """Addresses, reset values and masks as ``#define``."""
    prefix = address_map.name.upper()
    lines = [f"#ifndef {prefix}_REGISTERS_H", f"#define {prefix}_REGISTERS_H", ""]
    for placed in address_map.placed:
        item = placed.item
        name = f"{prefix}_{item.name.upper()}"
        lines.append(f"/* {item.name}: {item.description} */")
        lines.append(f"#define {name}_ADDRESS 0x{placed.address:08x}u")
        if isinstance(item, Register):
            suffix = "ull" if item.width > 32 else "u"
            lines.append(f"#define {name}_RESET 0x{item.reset:x}{suffix}")
            for part in item.fields:
                lines.append(f"#define {name}_{part.name.upper()}_OFFSET {part.offset}")
                lines.append(f"#define {name}_{part.name.upper()}_MASK 0x{part.mask:x}{suffix}")
        else:
            lines.append(f"#define {name}_SIZE 0x{item.size:x}u")
        lines.append("")
    return "\n".join([*lines, "#endif", ""])


def to_table(address_map: AddressMap) -> str:
    """A Markdown table, one row a register, field or window."""
    lines = ["| address | name | bits | access | is |", "| --- | --- | --- | --- | --- |"]
    for placed in address_map.placed:
        item = placed.item
        if isinstance(item, Register):
            bits, access = str(item.width), item.access.value
        else:
            bits, access = f"{item.size} bytes", "write-only"
        lines.append(f"| {placed.address:#06x} | `{item.name}` | {bits} | {access} | {item.description} |")
        for part in getattr(item, "fields", ()):
            high = part.offset + part.width - 1
            place = f"{high}..{part.offset}" if part.width > 1 else str(part.offset)
            lines.append(f"| | `.{part.name}` | {place} | | {part.description} |")
    return "\n".join(lines) + "\n"
