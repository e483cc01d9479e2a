"""Parts: what a device of a family holds. No Amaranth here."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from ...cores.checks import require_name
from .target import TARGETS, Resources, Target

__all__ = ["CONSTRAINTS", "Part", "find_part", "load_parts"]

# Beside the gateware, in a checkout and in an installed package alike.
CONSTRAINTS = Path(__file__).parents[3] / "constraints"


@dataclass(frozen=True, kw_only=True)
class Part:
    """A device, or a family without one.

    Parameters
    ----------
    name : str
    description : str
    target : Target
        Its family.
    holds : Resources or None
        What the device has; ``None`` for a family.
    source : str
        Where the figures are from.
    """

    name: str
    description: str
    target: Target
    holds: Resources | None = None
    source: str = ""

    def share(self, used: Resources) -> dict[str, float]:
        """Percent of the device, by resource; empty for a family."""
        if self.holds is None:
            return {}
        return {name: 100 * getattr(used, name) / available for name, available in self.holds.items() if available}


@functools.cache
def load_parts() -> Mapping[str, Part]:
    """All parts of the table in ``constraints/devices.yaml``, then the families."""
    table = yaml.safe_load((CONSTRAINTS / "devices.yaml").read_text(encoding="utf-8"))
    parts = {}
    for name, entry in table.items():
        target = TARGETS[entry["target"]]
        holds = Resources(**{resource: entry[resource] for resource in target.units})
        parts[name] = Part(
            name=name, description=entry["description"], target=target, holds=holds, source=entry["source"]
        )
    for target in TARGETS.values():
        parts[target.name] = Part(name=target.name, description=target.description, target=target)
    return parts


def find_part(name: str) -> Part:
    """The part or family of that name.

    Raises
    ------
    ValueError
        There is none; the text names those there are.
    """
    parts = load_parts()
    if name.lower() not in parts:
        require_name("Part", name, parts)
    return parts[name.lower()]
