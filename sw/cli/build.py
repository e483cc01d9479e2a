"""Build the bitstream of a system for a board, with open tools."""

import argparse

from ..systems.results import add_json_option, add_out_option, show

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ..measurement.board_flow import PLACERS, boards

    systems = sorted({system for presets in boards().values() for system in presets})
    parser.add_argument("system", choices=systems, help="which")
    parser.add_argument("--board", choices=tuple(boards()), default="ulx3s-85f", help="which (default %(default)s)")
    parser.add_argument("--config", metavar="PRESET", help="preset or YAML file (default: that of the board)")
    add_out_option(parser, "Verilog, constraints, reports and bitstream", required=True)
    parser.add_argument("--placer", choices=PLACERS, default=PLACERS[0], help="nextpnr's (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the placer (default %(default)s)")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int:
    from ..measurement.board_flow import as_text, build_board

    report = build_board(
        arguments.board,
        arguments.config,
        arguments.out,
        system=arguments.system,
        bitstream=True,
        seed=arguments.seed,
        placer=arguments.placer,
    )
    show(arguments, report, lambda: f"{as_text(report)}\nbitstream and reports in {arguments.out}")
    return 0 if report["met"] else 1
