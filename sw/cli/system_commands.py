"""Commands that do something else for each system: a parser below the command's for every system that it knows."""

import argparse
import importlib
from collections.abc import Callable
from typing import Any

from ..systems.descriptor import systems_with
from .lazy_parser import LazyParser, first_line_of

__all__ = ["add_systems", "run_system"]

AddArguments = Callable[[argparse.ArgumentParser], None]


def add_systems(parser: argparse.ArgumentParser, command: str, add_shared: AddArguments | None = None) -> None:
    """A parser for each system that knows the command, filled once it is chosen.

    Parameters
    ----------
    parser
        Parser of the command.
    command
        As descriptors name it.
    add_shared
        Adds what is the same for every system.
    """
    known = systems_with(command)
    choices = parser.add_subparsers(
        dest="system", metavar="SYSTEM", required=True, help=" or ".join(known), parser_class=LazyParser
    )
    for name, system in known.items():
        place = system.commands[command]
        below: LazyParser = choices.add_parser(name, help=first_line_of(place))
        below.fill_with(place, add_shared)
        below.beside = choices.choices


def run_system(command: str, arguments: argparse.Namespace) -> Any:
    """Run the module of the chosen system; its exit code."""
    return importlib.import_module(systems_with(command)[arguments.system].commands[command]).run(arguments)
