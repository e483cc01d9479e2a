"""An address map as a table for people. No Amaranth here."""

from ...bus.registers import AddressMap, Register

__all__ = ["register_table"]


def register_table(address_map: AddressMap) -> str:
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
