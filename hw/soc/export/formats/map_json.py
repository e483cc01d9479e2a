"""The whole description as JSON, for generators of other projects. No Amaranth here."""

import dataclasses
import json
from collections.abc import Iterable
from typing import Any

from ...bus.registers import AddressMap, Register
from ..description import PackageDescription

__all__ = ["map_json"]


def map_json(description: PackageDescription, package: Iterable[str] = ()) -> str:
    """The text of ``NAME.json``; ``package`` are the other files of the package."""
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
    }
    if description.address_map is not None:
        content["configuration_hash"] = f"{description.configuration_hash:#010x}"
        content["registers"] = _registers(description.address_map)
    if description.instruction_set is not None:
        content["instruction_set"] = description.instruction_set.describe()
    content["package"] = [*package, f"{description.name}.json"]
    return json.dumps(content, indent=2, default=_plain) + "\n"


def _plain(value: Any) -> str:
    """What JSON has no form for: an enumeration is its name."""
    return str(getattr(value, "name", value))


def _registers(address_map: AddressMap) -> dict[str, Any]:
    """Every register, field and window with its address."""
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
    return {"name": address_map.name, "registers": registers, "windows": windows}
