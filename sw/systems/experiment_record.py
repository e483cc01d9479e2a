"""Earlier records of an experiment: its runs stay next to those of today if they were made with the same settings."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["ArmRuns", "merge", "read_record", "refuse_others"]


@dataclass(frozen=True, kw_only=True)
class ArmRuns:
    """Runs of an arm.

    Parameters
    ----------
    settings
        Settings that they were made with, by name, as JSON has them.
    runs
        By seed.
    """

    settings: Mapping[str, Any]
    runs: Mapping[str, Any] = field(default_factory=dict)


def read_record(record: Path) -> dict[str, Any]:
    """Content of the file; nothing if there is none."""
    found: dict[str, Any] = json.loads(record.read_text()) if record.is_file() else {}
    return found


def merge(record: Path, recorded: Mapping[str, ArmRuns], played: Mapping[str, ArmRuns]) -> dict[str, dict[str, Any]]:
    """Runs of each arm by seed: those played, and what the record has of other seeds and other arms.

    Parameters
    ----------
    record
        Where what is recorded was read.
    recorded
        By arm. Arms that the experiment has no longer are left out.
    played
        Every arm of the experiment, with what was played of it.

    Returns
    -------
    dict of dict
        Arms in the order of the experiment, without those that have no run; seeds in their order.

    Raises
    ------
    ValueError
        As `refuse_others`.
    """
    refuse_others(record, recorded, played)
    merged = {}
    for arm, now in played.items():
        runs = {**(recorded[arm].runs if arm in recorded else {}), **now.runs}
        if runs:
            merged[arm] = {seed: runs[seed] for seed in sorted(runs, key=int)}
    return merged


def refuse_others(
    record: Path,
    recorded: Mapping[str, ArmRuns],
    played: Mapping[str, ArmRuns],
    wanted: Iterable[tuple[str, int]] = (),
) -> None:
    """Refuse to write runs beside recorded ones that were made with other settings.

    Parameters
    ----------
    record, recorded, played
        As of `merge`.
    wanted
        Arm and seed of each run that is still to be played.

    Raises
    ------
    ValueError
        A recorded run that no other takes the place of has other settings.
    """
    replaced = {(arm, seed) for arm, now in played.items() for seed in now.runs}
    replaced |= {(arm, str(seed)) for arm, seed in wanted}
    for arm, now in played.items():
        before = recorded.get(arm, now)
        staying = [seed for seed in before.runs if (arm, seed) not in replaced]
        for name, value in now.settings.items():
            if staying and before.settings.get(name) != value:
                raise ValueError(
                    f"{record} has {arm}, seed {', '.join(staying)}, with {name} {_said(before.settings.get(name))}, "
                    f"not {_said(value)}, and records must not mix the two: --docs DIR writes elsewhere"
                )


def _said(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
