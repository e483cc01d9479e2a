"""Explore the design space of a system: all choices for an FPGA part, and the best that fits."""

import argparse

from .system_commands import add_systems, run_system

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems(parser, "explore")


def run(arguments: argparse.Namespace) -> int | None:
    return run_system("explore", arguments)
