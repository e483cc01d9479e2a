"""Run the learning experiments of a system and write their results to docs/."""

import argparse
from pathlib import Path

from . import experiment_fixar, experiment_learninggroup, experiment_mcts, experiment_pearl

__all__ = ["add_arguments", "run"]

SYSTEMS = {
    "fixar": experiment_fixar,
    "learninggroup": experiment_learninggroup,
    "mcts": experiment_mcts,
    "pearl": experiment_pearl,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    systems = parser.add_subparsers(dest="system", metavar="SYSTEM", required=True, help=" or ".join(SYSTEMS))
    for name, module in SYSTEMS.items():
        system = systems.add_parser(name, help=(module.__doc__ or name).splitlines()[0], description=module.__doc__)
        module.add_arguments(system)
        system.add_argument(
            "--arms", type=lambda text: text.split(","), help="only these, with commas between (default: all)"
        )
        system.add_argument("--seed", type=int, action="append", help="only this seed; may be repeated (default: all)")
        system.add_argument("--jobs", type=int, default=1, help="runs at a time, each a process (default %(default)s)")
        system.add_argument("--out", type=Path, default=Path("runs"), help="folder of the runs; they resume from there")
        system.add_argument("--docs", type=Path, default=Path("docs"), help="where results and picture go")
        system.add_argument("--collect", action="store_true", help="run nothing, only collect what the folder holds")


def run(arguments: argparse.Namespace) -> int:
    if arguments.jobs < 1:
        raise ValueError(f"--jobs must be at least 1, not {arguments.jobs}")
    return SYSTEMS[arguments.system].run(arguments)
