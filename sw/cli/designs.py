"""Designs of the catalogue on the command line: which, and with what parameters."""

import argparse
from collections.abc import Sequence
from typing import Any

from ..measurement.elaboration import Elaborated, elaborate_design

__all__ = ["add_design_arguments", "elaborate", "parse_settings"]


def add_design_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments that choose a design: its name, a preset, and settings."""
    from ...hw.soc.export.catalogue import catalogue

    name = parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(catalogue())}")
    # For the completion in shells.
    vars(name)["completer"] = lambda **_: list(catalogue())
    parser.add_argument(
        "--config",
        metavar="PRESET",
        help="preset or YAML file (default: that of the design)",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="set a parameter; may be repeated"
    )
    parser.add_argument(
        "--name", dest="top", metavar="TOP", help="name of the top module, and prefix of all others (default: NAME)"
    )


def parse_settings(settings: Sequence[str]) -> dict[str, Any]:
    """``["lanes=6"]`` to ``{"lanes": 6}``; values are written as in YAML."""
    import yaml

    parsed = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.isidentifier():
            raise ValueError(f"--set must be NAME=VALUE, not {setting!r}")
        parsed[name] = yaml.safe_load(value)
    return parsed


def elaborate(arguments: argparse.Namespace, **form: bool) -> Elaborated:
    """The design that the arguments choose; ``form`` is that of a system, as :func:`.elaborate_design` takes it."""
    return elaborate_design(arguments.name, arguments.config, parse_settings(arguments.set), arguments.top, **form)
