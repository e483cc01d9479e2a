"""Build a system for a board: a bitstream with open tools, or a project for the vendor's tools."""

import argparse

from ..systems.results import add_json_option, add_out_option, show
from .seed_options import add_seed_options, check_seed_options

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...hw.soc.boards.board import load_boards
    from ...hw.soc.devices import devices
    from ...hw.soc.export.placement import PLACERS, ROUTERS

    systems = [name for name, device in devices().items() if device.board_presets]
    parser.add_argument("system", choices=systems, help="system to build")
    parser.add_argument(
        "--board", choices=tuple(load_boards()), metavar="BOARD", default="ulx3s-85f",
        help="one of the boards that `rewardware list boards` prints (default %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--config", metavar="PRESET", help="preset or YAML file (default: the largest that fits the board)"
    )
    add_out_option(parser, "Verilog, constraints, reports and bitstream, or the vendor's project", required=True)
    parser.add_argument(
        "--clock",
        type=int,
        metavar="MHZ",
        help="clock of the system (default: the one that it was placed at on this part, else the board's)",
    )
    parser.add_argument(
        "--placer",
        choices=PLACERS,
        help="nextpnr's placer (default: the one that placed it on this part, else static on ECP5, heap on iCE40)",
    )
    parser.add_argument(
        "--router", choices=ROUTERS, help="nextpnr's router (default: the one that placed it on this part)"
    )
    parser.add_argument(
        "--timing-ripup",
        action="store_true",
        help="route wires of paths again that miss the clock: more seeds meet it, some take much longer",
    )
    add_seed_options(parser, "the one that placed it on this part, else 1")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..measurement.board_flow import as_text, build_board

    jobs = check_seed_options(arguments)
    report = build_board(
        arguments.board,
        arguments.config,
        arguments.out,
        system=arguments.system,
        clock_mhz=arguments.clock,
        bitstream=True,
        seed=arguments.seed,
        seeds=arguments.seeds,
        jobs=jobs,
        placer=arguments.placer,
        router=arguments.router,
        timing_ripup=arguments.timing_ripup,
    )
    made = "bitstream and reports" if "met" in report else f"a project for {report['flow']}, with its README.md,"
    show(arguments, report, lambda: f"{as_text(report)}\n{made} in {arguments.out}")
    return 0 if report.get("met", True) else 1
