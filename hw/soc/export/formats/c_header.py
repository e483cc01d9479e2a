"""Registers and instructions for C. No Amaranth here."""

from ...bus.registers import AddressMap, Register
from ..description import PackageDescription

__all__ = ["files", "header"]


def files(description: PackageDescription) -> dict[str, str]:
    """``NAME.h``; nothing for a design without registers."""
    if description.address_map is None:
        return {}
    return {f"{description.name}.h": header(description.address_map, description.name)}


def header(address_map: AddressMap, name: str) -> str:
    """Addresses, reset values and masks as ``#define``; guard and macros begin with ``name``."""
    prefix = name.upper()
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
