"""Clocks that a design's constraints have unless its user says another one. No Amaranth here."""

from dataclasses import dataclass

import yaml

from .parts import CONSTRAINTS, find_part

__all__ = ["ANY_CLOCK", "DefaultClock", "default_clock", "load_clocks"]


@dataclass(frozen=True, kw_only=True)
class DefaultClock:
    """A clock for a design on a part.

    Parameters
    ----------
    mhz : float
    source : str
        Where the number is from.
    part : str
        Name of a part or family; empty: any.
    placer, router : str or None
        nextpnr's placer and router that placed it; ``None``: the usual one.
    seed : int
        Seed with which nextpnr placed it.
    """

    mhz: float
    source: str
    part: str = ""
    placer: str | None = None
    router: str | None = None
    seed: int = 1


# Clock of a design without an entry of its own.
ANY_CLOCK = DefaultClock(mhz=100.0, source="a round number, which no tool has found")


def load_clocks() -> dict[str, tuple[DefaultClock, ...]]:
    """The table in ``constraints/clocks.yaml``, by design."""
    table = yaml.safe_load((CONSTRAINTS / "clocks.yaml").read_text(encoding="utf-8"))
    return {design: tuple(DefaultClock(**row) for row in rows) for design, rows in table.items()}


def default_clock(design: str, part: str = "") -> DefaultClock:
    """The clock of a design on a part; without a part, that of the first part of the table.

    Raises
    ------
    ValueError
        There is no such part, or the table has no clock for it.
    """
    rows = load_clocks().get(design, ())
    if not part:
        return rows[0] if rows else ANY_CLOCK
    name = find_part(part).name
    for row in rows:
        if row.part == name:
            return row
    known = ", ".join(row.part for row in rows) or "none"
    raise ValueError(f"Part must be one for which a clock of {design} is known ({known}), not {part!r}")
