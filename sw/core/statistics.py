"""Counters in records: numbers by name."""

from collections.abc import Mapping
from typing import Any

__all__ = ["UTILIZATION", "numbers_of"]

# Before the name of an engine, whose share of the cycles the number is.
UTILIZATION = "utilization/"


def numbers_of(counters: Mapping[str, Any]) -> dict[str, float]:
    """The numbers among counters; those of a mapping, as of the engines, under its name and theirs."""
    found: dict[str, float] = {}
    for name, value in counters.items():
        if isinstance(value, Mapping):
            found |= {f"{name}/{part}": number for part, number in numbers_of(value).items()}
        elif isinstance(value, int | float) and not isinstance(value, bool):
            found[name] = value
    return found
