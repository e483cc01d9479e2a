"""Figures of all systems as one document, and documents of several releases side by side."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ...hw.cores.checks import nearest
from ...hw.soc.devices import load_object
from ..core.tables import aligned
from ..core.versions import package_version
from ..measurement.bench import Bench, make_row, say
from .descriptor import systems_with

__all__ = ["comparison", "comparison_table", "figures_of_all", "read_document", "suite_rows"]

KIND = "rewardware figures"
LEFT_OUT = "they take minutes to hours or depend on the machine; --also makes them"
EVERYTHING = "all"


def figures_of_all(others: Mapping[str, str], also: Sequence[str] = (), seed: int | None = None) -> dict[str, Any]:
    """The document: by system the configuration and the rows, and which figures it leaves out.

    Parameters
    ----------
    others
        Benches that belong to no system, ``"module:class"`` by name.
    also
        Figures besides those that are ``tracked``, as ``"SYSTEM:ID"``; ``"SYSTEM:all"`` is every one of a system,
        ``"all"`` every one of all.
    seed
        In the place of that of each figure.

    Raises
    ------
    ValueError
        There is no such figure to add.
    """
    benches = {**{name: system.bench for name, system in systems_with("bench").items()}, **others}
    made: dict[str, Bench] = {name: load_object(place)() for name, place in benches.items()}
    known = {name: list(bench.ids()) for name, bench in made.items()}
    there = {f"{name}:{figure}" for name, figures in known.items() for figure in (*figures, EVERYTHING)}
    for name in also:
        if name != EVERYTHING and name not in there:
            raise ValueError(f"--also must be {EVERYTHING} or figures as SYSTEM:ID, not {name!r}{nearest(name, there)}")
    found, left_out = {}, {}
    for name, bench in made.items():
        all_of_it = {EVERYTHING, f"{name}:{EVERYTHING}"}
        chosen = {*bench.tracked, *(figure for figure in known[name] if {f"{name}:{figure}", *all_of_it} & {*also})}
        wanted = [figure for figure in known[name] if figure in chosen]
        if wanted:
            say(f"figures of {name}")
            found[name] = {"config": bench.configuration, "rows": bench.rows(wanted, seed)}
        if rest := [figure for figure in known[name] if figure not in chosen]:
            left_out[name] = rest
    return {
        "kind": KIND,
        "version": package_version(),
        "systems": found,
        "left_out": left_out,
        "why_left_out": LEFT_OUT if left_out else None,
    }


def suite_rows(path: Path) -> dict[str, Any]:
    """Rows of a run of the tests: its time, from the report that ``pytest --junitxml`` wrote.

    Raises
    ------
    ValueError
        The file is no such report, or tests failed in that run.
    """
    try:
        suites = list(ElementTree.parse(path).iter("testsuite"))
    except ElementTree.ParseError as error:
        raise ValueError(f"{path} must be a report of pytest --junitxml: {error}") from error
    if not suites:
        raise ValueError(f"{path} must be a report of pytest --junitxml: it has no test suite")
    counts = {name: sum(int(suite.get(name, 0)) for suite in suites) for name in ("tests", "failures", "errors")}
    if counts["failures"] or counts["errors"]:
        raise ValueError(
            f"{path} must be of a suite that passed, not with {counts['failures'] + counts['errors']} failed"
        )
    seconds = sum(float(suite.get("time", 0)) for suite in suites)
    how = f"pytest, {counts['tests']} tests, from its start to its end on the machine at hand"
    return {
        "config": "",
        "rows": [
            {"id": "suite_seconds", **make_row(round(seconds, 1), "s", "measured", how)},
            {"id": "suite_tests", **make_row(counts["tests"], "tests", "counted", "pytest")},
        ],
    }


def read_document(path: Path) -> dict[str, Any]:
    """A document that ``rewardware bench --all --json`` printed.

    Raises
    ------
    ValueError
        The file holds something else.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} must be a document of rewardware bench --all --json: {error}") from error
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise ValueError(f"{path} must be a document of rewardware bench --all --json, which says kind {KIND!r}")
    return content


def comparison(documents: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Figures of several documents by the order in which they are given, usually that of the releases.

    Parameters
    ----------
    documents
        Documents of :func:`figures_of_all`.

    Returns
    -------
    dict
        ``versions``, one for each document, and ``rows``: system, ``id``, ``unit``, ``kind``, ``values`` by document
        (``None`` where one lacks the figure or has it in another unit), ``change_percent`` from the last but one value
        to the last (``None`` where there are no two).
    """
    tables = [dict(_rows(document)) for document in documents]
    latest: dict[tuple[str, str], Mapping[str, Any]] = {}
    for table in tables:
        latest |= table
    rows = []
    for (system, name), row in sorted(latest.items(), key=lambda entry: entry[0][0]):
        values = [_value_in(table.get((system, name)), row["unit"]) for table in tables]
        change = _change(values[-2], values[-1]) if len(values) > 1 else None
        rows.append(
            {"system": system, "id": name, "unit": row["unit"], "kind": row["kind"], "values": values}
            | {"change_percent": change}
        )
    return {"versions": [document["version"] for document in documents], "rows": rows}


def _rows(document: Mapping[str, Any]) -> Iterable[tuple[tuple[str, str], Mapping[str, Any]]]:
    for system, figures in document["systems"].items():
        for row in figures["rows"]:
            yield (system, row["id"]), row


def _value_in(row: Mapping[str, Any] | None, unit: str) -> float | None:
    return row["value"] if row is not None and row["unit"] == unit else None


def _change(before: float | None, after: float | None) -> float | None:
    if before is None or after is None:
        return None
    if before == after:
        return 0.0
    return round(100 * (after / before - 1), 2) if before and math.isfinite(after / before) else None


def comparison_table(content: Mapping[str, Any]) -> str:
    """A comparison for people: a line for each figure, a column for each document."""
    rows = [["system", "figure", "unit", *content["versions"], "change"]]
    for row in content["rows"]:
        change = row["change_percent"]
        rows.append(
            [row["system"], row["id"], row["unit"], *("" if value is None else f"{value:g}" for value in row["values"])]
            + ["" if change is None else f"{change:+.1f} %" if change else "none"]
        )
    return "\n".join(aligned(rows, left=(0, 1, 2)))
