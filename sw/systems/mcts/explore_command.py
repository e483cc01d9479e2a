"""Choose the interconnect and the comparison group of a search tree."""

import argparse
import dataclasses
from typing import Any

from ...core.tables import aligned
from ..results import add_json_option, add_out_option, make_folder, show

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ....hw.cores.tree.config import COMPARISONS, TreeConfig
    from ....hw.soc.target.parts import load_parts

    default = TreeConfig()
    parts = [part.name for part in load_parts().values() if part.holds is not None]
    for name, what in (("fanout", "F, children"), ("levels", "D, levels"), ("banks", "Y, banks")):
        parser.add_argument(f"--{name}", type=int, default=getattr(default, name), help=f"{what} (default %(default)s)")
    parser.add_argument(
        "--comparison",
        choices=COMPARISONS,
        default=default.comparison,
        help="how scores are compared within a group (default %(default)s)",
    )
    parser.add_argument("--part", default="xcu250", help=f"one of {', '.join(parts)} (default %(default)s)")
    parser.add_argument(
        "--share",
        type=float,
        default=100,
        help="percent of the part's LUT for selectors and interconnect (default 100)",
    )
    add_out_option(parser, "exploration.json")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    make_folder(arguments.out)
    report = explore(arguments)
    show(arguments, report, lambda: as_table(report), "exploration.json")


def explore(arguments: argparse.Namespace) -> dict[str, Any]:
    """All choices, the best, and the costs, as plain data."""
    from ....hw.cores.tree.config import TreeConfig
    from ....hw.soc.target.parts import find_part
    from ...mapping.tree_exploration import best_point, explore_tree
    from .bench.tree_costs import measure_costs

    part = find_part(arguments.part)
    if part.holds is None:
        raise ValueError(f"--part must be a part, not the family {part.name}")
    if not 0 < arguments.share <= 100:
        raise ValueError(f"--share must be above 0 and at most 100, not {arguments.share:g}")
    default = TreeConfig()
    config = TreeConfig(
        fanout=arguments.fanout,
        levels=arguments.levels,
        banks=arguments.banks,
        comparison=arguments.comparison,
        group=min(default.group, arguments.fanout),
        nodes=min(default.nodes, arguments.banks * default.rows),
    )
    budget = part.holds.lut * arguments.share / 100
    costs = measure_costs(config, part.target.name)
    points = explore_tree(config, costs, budget)
    return {
        "part": part.name,
        "budget_lut": budget,
        "tree": {name: getattr(config, name) for name in ("fanout", "levels", "banks", "comparison")},
        "costs": dataclasses.asdict(costs),
        "how": "Yosys, LUT: whole selectors; a buffer, and what a bank takes besides, from small interconnects",
        "best": dataclasses.asdict(best_point(points, budget)),
        "points": [dataclasses.asdict(point) for point in points],
    }


def as_table(report: dict[str, Any]) -> str:
    """The choices for people, the best first."""
    tree, best = report["tree"], report["best"]
    head = [
        "interconnect",
        "f",
        "T selector",
        "T interconnect",
        "D T + T",
        "R selector",
        "R interconnect",
        "LUT",
        "fits",
    ]
    rows = [
        [point["interconnect"]]
        + [str(point[name]) for name in ("group", "selector_cycles", "interconnect_cycles", "objective")]
        + [f"{point[name]:.0f}" for name in ("selector_tables", "interconnect_tables", "tables")]
        + ["yes" if point["fits"] else "no"]
        for point in report["points"]
    ]
    lines = [
        f"mcts, F = {tree['fanout']}, D = {tree['levels']}, Y = {tree['banks']}, {tree['comparison']}; "
        f"{report['part']}, {report['budget_lut']:.0f} LUT",
        "",
        *aligned([head, *rows]),
    ]
    costs = report["costs"]
    buffers = ", ".join(f"{name} {lut:.0f} and {costs['bank'][name]:.0f}" for name, lut in costs["buffer"].items())
    return "\n".join(
        [
            *lines,
            "",
            f"Choice: {best['interconnect']}, f = {best['group']}: {best['objective']} cycles, "
            f"{best['tables']:.0f} LUT",
            f"{report['how']}: {buffers}",
        ]
    )
