"""Print the figures of a system beside those of its paper, or compare figures of releases."""

import argparse
from pathlib import Path
from typing import Any

from ...hw.soc.devices import load_object
from ..core.tables import aligned
from ..systems.descriptor import find_system, systems_with
from ..systems.options import add_threads_option
from ..systems.results import add_json_option, add_out_option, make_folder, show

__all__ = ["add_arguments", "run"]


# Benches that cover several systems.
OF_ALL = {
    "cores": "rewardware.sw.measurement.cores_bench:CoresBench",
    "simulation": "rewardware.sw.systems.simulation_bench:SimulationBench",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    names = [*systems_with("bench"), *OF_ALL]
    parser.add_argument(
        "system",
        nargs="?",
        choices=names,
        help="system whose figures to print; cores: resources of each core (hours the first "
        "time); simulation: the speed of all simulators",
    )
    parser.add_argument("--only", metavar="ID,...", help="print these figures alone")
    parser.add_argument(
        "--config",
        metavar="PRESET",
        help="preset or YAML file (default paper; systems whose figures have a preset each take none)",
    )
    parser.add_argument("--all", action="store_true", help="print the figures of all systems that take seconds")
    parser.add_argument(
        "--also",
        metavar="SYSTEM:ID,...",
        help="with --all: add these figures; all as an ID adds every one of a system, alone every one of all systems, "
        "which takes hours",
    )
    parser.add_argument("--suite", type=Path, metavar="XML", help="with --all: add what pytest --junitxml reported")
    parser.add_argument(
        "--compare", type=Path, nargs="+", metavar="JSON", help="compare documents of --all, the oldest first"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="seed of random inputs (default: that of each figure)")
    add_threads_option(parser)
    add_out_option(parser, "bench.json, or with --compare comparison.json and plots")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    if arguments.seed is not None and arguments.seed < 0:
        raise ValueError(f"--seed must be at least 0, not {arguments.seed}")
    _check_choice(arguments)
    if arguments.all:
        _all(arguments)
    elif arguments.compare:
        _compare(arguments)
    else:
        _one(arguments)


def _check_choice(arguments: argparse.Namespace) -> None:
    """Refuse what does not go together."""
    if bool(arguments.system) + arguments.all + bool(arguments.compare) != 1:
        raise ValueError("bench takes one of SYSTEM, --all and --compare")
    for option in ("only", "config"):
        if getattr(arguments, option) is not None and not arguments.system:
            raise ValueError(f"--{option} needs a SYSTEM")
    for option in ("also", "suite"):
        if getattr(arguments, option) and not arguments.all:
            raise ValueError(f"--{option} needs --all")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _all(arguments: argparse.Namespace) -> None:
    from ..systems.figure_documents import figures_of_all, suite_rows

    # Its errors are reported before the figures are made.
    suite = {"suite": suite_rows(arguments.suite)} if arguments.suite else {}
    make_folder(arguments.out)
    document = figures_of_all(OF_ALL, _names(arguments.also or ""), arguments.seed)
    document["systems"] |= suite
    show(arguments, document, lambda: _tables(document), "bench.json")


def _tables(document: dict[str, Any]) -> str:
    """The table of each system, and what is not in them."""
    tables = [as_table({"system": name, **figures}) for name, figures in document["systems"].items()]
    left_out = [f"{name}: {', '.join(figures)}" for name, figures in document["left_out"].items()]
    if left_out:
        tables.append("\n".join([f"Left out, because {document['why_left_out']}:", "", *left_out]))
    return "\n\n".join(tables)


def _compare(arguments: argparse.Namespace) -> None:
    from ..systems.figure_documents import comparison, comparison_table, read_document
    from ..systems.figure_plots import plot_releases

    content = comparison([read_document(path) for path in arguments.compare])
    make_folder(arguments.out)
    if arguments.out is not None:
        plot_releases(arguments.out, content)
    show(arguments, content, lambda: comparison_table(content), "comparison.json")


def _one(arguments: argparse.Namespace) -> None:
    only = _names(arguments.only) if arguments.only else None
    chosen = () if arguments.config is None else (arguments.config,)
    make_folder(arguments.out)
    of_all = OF_ALL.get(arguments.system)
    bench = load_object(of_all or find_system(arguments.system).bench)(*chosen)
    drawn = {} if arguments.seed is None else {"seed": arguments.seed}
    report = {"system": arguments.system, "config": bench.configuration, "rows": bench.rows(only, **drawn)}
    show(arguments, report, lambda: as_table(report), "bench.json")


def as_table(report: dict[str, Any]) -> str:
    """The figures for people: value, unit, the paper's and the ratio, kind, and how it came about."""
    rows = [["figure", "value", "unit", "paper", "ratio", "kind", "how"]]
    for row in report["rows"]:
        paper = row["paper"]
        ratio = f"{row['value'] / paper:.2f}" if paper else ""
        rows.append(
            [row["id"], f"{row['value']:g}" if row["value"] < 1e5 else f"{row['value']:.0f}", row["unit"]]
            + [f"{paper:g}" if paper else "", ratio, row["kind"], row["how"]]
        )
    title = report["system"] + (f", configuration {report['config']}" if report["config"] else "")
    lines = [title, "", *aligned(rows, left=(0, 2, 5, 6))]
    return "\n".join(lines)
