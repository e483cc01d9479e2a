"""Train agents on an accelerator, its reference, or in PyTorch."""

import argparse

from . import train_fixar, train_learninggroup, train_pearl

__all__ = ["add_arguments", "run"]

SYSTEMS = {"fixar": train_fixar, "learninggroup": train_learninggroup, "pearl": train_pearl}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    systems = parser.add_subparsers(dest="system", metavar="SYSTEM", required=True, help=" or ".join(SYSTEMS))
    for name, module in SYSTEMS.items():
        system = systems.add_parser(name, help=(module.__doc__ or name).splitlines()[0], description=module.__doc__)
        module.add_arguments(system)


def run(arguments: argparse.Namespace) -> None:
    SYSTEMS[arguments.system].run(arguments)
