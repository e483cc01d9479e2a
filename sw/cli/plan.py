"""Play episodes by planning."""

import argparse

from . import plan_mcts

__all__ = ["add_arguments", "run"]

SYSTEMS = {"mcts": plan_mcts}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    systems = parser.add_subparsers(dest="system", metavar="SYSTEM", required=True, help=" or ".join(SYSTEMS))
    for name, module in SYSTEMS.items():
        system = systems.add_parser(name, help=(module.__doc__ or name).splitlines()[0], description=module.__doc__)
        module.add_arguments(system)


def run(arguments: argparse.Namespace) -> None:
    SYSTEMS[arguments.system].run(arguments)
