"""Run the learning experiments of a system and write their results to docs/."""

import argparse
import tempfile
from pathlib import Path

from ..systems.options import add_threads_option
from ..systems.results import add_json_option, add_out_option, make_folder
from .system_commands import add_systems, run_system

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems(parser, "experiment", _add_shared)


def _add_shared(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--arms", type=lambda text: text.split(","), help="arms to run, separated by commas (default: all)"
    )
    parser.add_argument("--seed", type=int, action="append", help="seed to run; may be repeated (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time, each a process (default %(default)s)")
    add_out_option(parser, "the runs; they resume from there", default=Path("runs"))
    parser.add_argument(
        "--docs", type=Path, default=Path("docs"), help="folder of the pages that results and pictures go to"
    )
    parser.add_argument(
        "--limit", type=float, default=48.0, metavar="HOURS", help="longest that a run may take (default %(default)s)"
    )
    parser.add_argument("--collect", action="store_true", help="run nothing, only collect what the folder holds")
    parser.add_argument(
        "--check",
        action="store_true",
        help="repeat the runs, write nothing, and compare with the results in --docs to the last digit",
    )
    add_threads_option(parser)
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> int | None:
    if arguments.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, not {arguments.jobs}")
    if not arguments.limit > 0:
        raise ValueError(f"--limit must be above 0 hours, not {arguments.limit}")
    if not arguments.check:
        return run_system("experiment", arguments)
    if arguments.collect:
        raise ValueError("--check runs anew: omit --collect")
    make_folder(arguments.out)
    with tempfile.TemporaryDirectory(prefix="check-", dir=arguments.out) as folder:
        arguments.out = Path(folder)
        return run_system("experiment", arguments)
