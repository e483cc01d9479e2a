"""Build the bitstream of a system for a board, with open tools."""

import argparse
import json
from pathlib import Path

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ..measurement.board_flow import PLACERS, boards

    systems = sorted({system for presets in boards().values() for system in presets})
    parser.add_argument("system", choices=systems, help="which")
    parser.add_argument("--board", choices=tuple(boards()), default="ulx3s-85f", help="which (default %(default)s)")
    parser.add_argument("--config", metavar="PRESET", help="preset or YAML file (default: that of the board)")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="DIR", help="folder to write")
    parser.add_argument("--placer", choices=PLACERS, default=PLACERS[0], help="nextpnr's (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the placer (default %(default)s)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


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
    print(json.dumps(report, indent=2) if arguments.json else as_text(report))
    if not arguments.json:
        print(f"bitstream and reports in {arguments.out}")
    return 0 if report["met"] else 1
