"""Print a system's figures beside those of its paper, or how fast simulators are."""

import argparse
from typing import Any

from ...hw.soc.devices import load_object
from ..core.tables import aligned
from ..systems.descriptor import find_system, systems_with
from ..systems.options import add_threads_option
from ..systems.results import add_json_option, add_out_option, make_folder, show

__all__ = ["add_arguments", "run"]


# What is measured of every system.
OF_ALL = {"simulation": "rewardware.sw.systems.simulation_bench:SimulationBench"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("system", choices=[*systems_with("bench"), *OF_ALL], help="which, or what of all of them")
    parser.add_argument("--only", metavar="ID,...", help="these figures alone")
    parser.add_argument(
        "--config", metavar="PRESET", help="preset or YAML file (default paper; of mcts and pearl each figure's)"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of what figures draw (default: that of each figure)")
    add_threads_option(parser)
    add_out_option(parser, "bench.json")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    if arguments.seed is not None and arguments.seed < 0:
        raise ValueError(f"--seed must be at least 0, not {arguments.seed}")
    only = [name.strip() for name in arguments.only.split(",") if name.strip()] if arguments.only else None
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
    lines = [f"{report['system']}, configuration {report['config']}", "", *aligned(rows, left=(0, 2, 5, 6))]
    return "\n".join(lines)
