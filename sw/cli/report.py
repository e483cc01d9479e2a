"""Report FPGA resource use of a system or a core, block by block, as Yosys synthesises it."""

import argparse
from pathlib import Path
from typing import Any

from ..core.tables import aligned
from ..systems.results import add_json_option, add_out_option, make_folder, show
from .seed_options import add_seed_options, check_seed_options

__all__ = ["add_arguments", "make_report", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...hw.soc.target.parts import load_parts
    from .designs import add_design_arguments

    add_design_arguments(parser)
    parser.add_argument(
        "--part", default="xcu50", help=f"FPGA part: one of {', '.join(load_parts())} (default %(default)s)"
    )
    parser.add_argument(
        "--depth",
        type=int,
        default=1,
        help="levels of the hierarchy that get a row each; 0: the design flattened (default 1)",
    )
    parser.add_argument(
        "--uram", action="store_true", help="let large memories be UltraRAM (UltraScale+); without it all are block RAM"
    )
    parser.add_argument(
        "--levels", action="store_true", help="count the logic cells on the longest path (by Yosys, without timing)"
    )
    parser.add_argument("--place", action="store_true", help="place and route a core to find its clock (ECP5)")
    add_seed_options(parser, "1")
    add_out_option(parser, "report.json")
    add_json_option(parser)
    parser.add_argument(
        "--docs", type=Path, metavar="DIR", help="with NAME float: also write the table of units into its page in DIR"
    )
    parser.add_argument(
        "--import",
        dest="imported",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="take the figures from reports that Vivado (report_utilization, report_timing_summary) or Quartus "
        "(fit.summary, fit.rpt, sta.rpt, sta.summary) wrote for the design",
    )


def run(arguments: argparse.Namespace) -> None:
    from ...hw.soc.target.parts import find_part
    from .designs import elaborate
    from .unit_table import TABLES

    if arguments.imported:
        _import(arguments)
        return
    jobs = check_seed_options(arguments)
    # Before the design is elaborated, which may take a while.
    find_part(arguments.part)
    if arguments.name in TABLES:
        if arguments.seed is not None or arguments.seeds is not None:
            raise ValueError(f"--seed and --seeds are for one design, not for the table {arguments.name}")
        if arguments.levels:
            raise ValueError(f"--levels is for one design, not for the table {arguments.name}")
        make_folder(arguments.out)
        _run_table(arguments)
        return
    if arguments.docs is not None:
        raise ValueError(f"--docs is only for tables of units ({', '.join(TABLES)}), not for {arguments.name}")
    if (arguments.seed is not None or arguments.seeds is not None) and not arguments.place:
        raise ValueError("--seed and --seeds set the placer, which needs --place")
    if arguments.depth < 0:
        raise ValueError(f"--depth must be 0 or more, not {arguments.depth}")
    make_folder(arguments.out)
    design = elaborate(arguments)
    report = make_report(
        design.name,
        design.verilog,
        arguments.part,
        arguments.depth,
        arguments.place,
        seed=arguments.seed,
        seeds=arguments.seeds,
        jobs=jobs,
        uram=arguments.uram,
        levels=arguments.levels,
    )
    show(arguments, report, lambda: as_table(report), "report.json")


def _import(arguments: argparse.Namespace) -> None:
    """Rows of figures, as those of a bench, of what a vendor's tool found."""
    from ...hw.soc.export.catalogue import find_design
    from ..measurement.vendor_reports import figures_of, read_report
    from .bench import as_table as as_figures

    find_design(arguments.name)
    for option in ("place", "seed", "seeds", "jobs", "uram", "levels", "docs"):
        given = getattr(arguments, option)
        if given is not None and given is not False:
            raise ValueError(f"--{option} is for a report that is made here, not for one that is imported")
    rows = figures_of(read_report(file) for file in arguments.imported)
    make_folder(arguments.out)
    part = f"{arguments.config or 'its own'}, on {rows[0]['part']}"
    report = {"system": arguments.name, "config": arguments.config or "", "rows": rows}
    show(arguments, report, lambda: as_figures({**report, "config": part}), "report.json")


def _run_table(arguments: argparse.Namespace) -> None:
    from .unit_table import TABLES, as_markdown, measure, write_table

    rows = [measure(row) for row in TABLES[arguments.name]]
    table = as_markdown(rows)
    show(arguments, {"table": arguments.name, "rows": rows}, lambda: table, "report.json")
    if arguments.docs is not None:
        write_table(arguments.name, table, arguments.docs)


def make_report(
    name: str,
    verilog: str,
    part_name: str,
    depth: int = 1,
    place: bool = False,
    seed: int | None = None,
    seeds: int | None = None,
    jobs: int = 1,
    uram: bool = False,
    levels: bool = False,
) -> dict[str, Any]:
    """Resources of a design as plain data: a row a block, the total, and what share of the part that is.

    Parameters
    ----------
    name : str
        Top module.
    verilog : str
    part_name : str
    depth : int
        Levels with rows of their own, see :func:`~rewardware.hw.soc.export.synthesis.synthesise`.
    place : bool
        Place and route as a unit of a larger design (ECP5).
    seed : int or None
        Seed of the placer; ``None``: that of :func:`~rewardware.hw.soc.export.placement.place`.
    seeds : int or None
        Place with so many seeds, from 1 on, and report the best.
    jobs : int
        Seeds to place at a time.
    uram : bool
        Large memories may be UltraRAM, where the family has it.
    levels : bool
        Count the cells of logic on the longest path.
    """
    from ...hw.soc.target.parts import find_part
    from ..measurement.seed_sweep import sweep_seeds
    from ..measurement.tool_cache import place_once, synthesise_once

    part = find_part(part_name)
    if place and part.target.name != "ecp5":
        raise ValueError(f"Place and route is available only for ecp5, not {part.target.name}")
    if uram and not part.target.large_memories:
        raise ValueError(f"--uram is available only for xcup, not {part.target.name}")
    # Not in the key of the cache where nobody asked for it.
    options: dict[str, Any] = {"options": part.target.large_memories} if uram else {}
    if levels:
        options["levels"] = True
    synthesised = synthesise_once(verilog, name, part.target.name, depth=depth, netlist=place, **options)
    # A family without a kind of resource says nothing of it.
    shown = part.target.units
    blocks = synthesised.result.blocks
    report: dict[str, Any] = {
        "design": name,
        "part": part.name,
        "description": part.description,
        "family": part.target.name,
        "units": dict(part.target.units),
        "kind": "synthesised",
        "how": "Yosys; each kind of block synthesised once and multiplied by its instances",
        "blocks": [
            {
                "block": block.name,
                "instances": block.instances,
                **{key: value for key, value in block.resources.items() if key in shown},
            }
            for block in blocks
        ],
        "total": {key: value for key, value in synthesised.result.total.items() if key in shown},
        "share_percent": part.share(synthesised.result.total),
    }
    if levels:
        report["levels"] = synthesised.result.levels
    if place:
        # Not in the key of the cache where nobody chose one.
        chosen: dict[str, Any] = {} if seed is None else {"seed": seed}
        if seeds is None:
            placed = place_once(synthesised, frequency=100.0, **chosen).result
        else:
            sweep = sweep_seeds(lambda seed: place_once(synthesised, frequency=100.0, seed=seed), seeds, jobs)
            placed = sweep.best.result
            report["seeds"] = sweep.describe()
        path = placed.critical_path
        report["frequency_mhz"] = None if placed.frequency is None else round(placed.frequency, 2)
        report["critical_path"] = None if path is None else vars(path) | {"through": list(path.through)}
    return report


def as_table(report: dict[str, Any]) -> str:
    """The report for people."""
    from ..measurement.seed_sweep import sweep_line

    names = list(report["total"])
    head = ["block", "instances", *(f"{name.upper()} ({report['units'][name]})" for name in names)]
    rows = [[block["block"], f"{block['instances']}", *(_number(block[name]) for name in names)]
            for block in sorted(report["blocks"], key=lambda block: -block["instances"] * block["lut"])]  # fmt: skip
    rows.append(["total", "", *(_number(report["total"][name]) for name in names)])
    if report["share_percent"]:
        shares = report["share_percent"]
        rows.append(
            [f"of {report['part']}", "", *(f"{shares[name]:.1f} %" if name in shares else "" for name in names)]
        )
    lines = [f"{report['design']} on {report['part']}: {report['description']}", ""]
    lines += aligned([head, *rows], ruled=True)
    lines += ["", f"By {report['how']}; resources are those of one instance."]
    if "levels" in report:
        lines.append(f"Longest path by Yosys: {report['levels']} cells of logic between registers, memories and ports")
    if "frequency_mhz" in report:
        path = report["critical_path"]
        frequency = report["frequency_mhz"]
        clock = "none, nothing is registered" if frequency is None else f"{frequency} MHz"
        lines.append(f"Clock by nextpnr, speed grade 6: {clock}")
        if "seeds" in report:
            lines.append(sweep_line(report["seeds"]))
        if path is not None:
            lines.append(f"Slowest path: {path['start']} to {path['end']}, {path['delay']} ns, {path['levels']} levels")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:g}" if value != int(value) else f"{int(value)}"
