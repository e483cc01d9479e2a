"""Registers as SystemRDL 2.0, from which PeakRDL makes HTML and others make models for verification. No Amaranth here."""

from collections.abc import Iterable

from ...bus.registers import WORD_BYTES, Access, Placed, Register, Window
from ..description import PackageDescription

__all__ = ["files"]

_WORD_BITS = 8 * WORD_BYTES

# What software and hardware do with a field. Writing a strobe is an event, and it reads as zero.
_PROPERTIES = {
    Access.CONSTANT: ("sw = r", "hw = na"),
    Access.READ_ONLY: ("sw = r", "hw = w"),
    Access.READ_WRITE: ("sw = rw", "hw = r"),
    Access.WRITE_ONE_TO_CLEAR: ("sw = rw", "onwrite = woclr", "hw = rw"),
    Access.STROBE: ("sw = w", "hw = r"),
}


def files(description: PackageDescription) -> dict[str, str]:
    """``NAME.rdl``; nothing for a design without registers."""
    if description.address_map is None:
        return {}
    lines = [
        *_enumerations(description),
        f"addrmap {_identifier(description.name)} {{",
        f"  name = {_string(description.name)};",
        f"  desc = {_string(description.description)};",
        "  addressing = regalign;",
    ]
    for placed in description.address_map.placed:
        lines += _register(placed, placed.item) if isinstance(placed.item, Register) else _window(placed, placed.item)
    return {f"{description.name}.rdl": "\n".join([*lines, "};", ""])}
