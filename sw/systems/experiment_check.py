"""Whether experiments still come to the results that are kept: the same seeds, the same bits."""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..core.tables import aligned
from .results import show

__all__ = ["Curves", "check", "kept_results"]

# Values by step, of the runs of an arm by seed.
Curves = Mapping[str, Mapping[str, Sequence[tuple[int, float]]]]


def kept_results(docs: Path, name: str) -> dict[str, Any]:
    """Results that an experiment wrote into the folder of the documentation.

    Raises
    ------
    ValueError
        There is nothing.
    """
    path = docs / "learning" / f"{name}.json"
    if not path.is_file():
        raise ValueError(f"There are no results to compare with: {path} is missing")
    return json.loads(path.read_text())


def check(arguments: argparse.Namespace, kept: Curves, played: Curves) -> int:
    """Print for every run whether its values are those that are kept, to the last digit.

    Parameters
    ----------
    arguments
        Arguments of the command.
    kept, played
        Values of the results, and of the runs that were played now. They are compared at the steps that both have.

    Returns
    -------
    int
        1 if a value differs, or if there is a run with nothing to compare; else 0.
    """
    runs = [
        {"arm": arm, "seed": seed, **_compared(curve, dict(kept.get(arm, {}).get(seed, ())))}
        for arm, seeds in played.items()
        for seed, curve in seeds.items()
    ]
    equal = bool(runs) and all(run["compared"] and run["difference"] is None for run in runs)
    content = {"experiment": arguments.name, "runs": runs, "equal": equal}
    show(arguments, content, lambda: "\n".join(_table(runs)))
    return 0 if equal else 1


def _compared(curve: Sequence[tuple[int, float]], kept: Mapping[int, float]) -> dict[str, Any]:
    """How many values were compared, the last step of these, and the first difference."""
    common = [(step, value, kept[step]) for step, value in curve if step in kept]
    others = [(step, value, before) for step, value, before in common if value != before]
    return {
        "compared": len(common),
        "last": common[-1][0] if common else None,
        "difference": dict(zip(("step", "played", "kept"), others[0], strict=True)) if others else None,
    }


def _table(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    rows = [["arm", "seed", "compared", "up to step", "result"]]
    for run in runs:
        last = "" if run["last"] is None else str(run["last"])
        rows.append([run["arm"], run["seed"], str(run["compared"]), last, _result(run)])
    return aligned(rows, left=(0, 4), ruled=True)


def _result(run: Mapping[str, Any]) -> str:
    if not run["compared"]:
        return "nothing is kept at its steps"
    difference = run["difference"]
    return "equal" if difference is None else "step {step}: {played}, kept {kept}".format(**difference)
