"""Play episodes with a planner, which searches before each action."""

import argparse

from .system_commands import add_systems, run_system

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems(parser, "plan")


def run(arguments: argparse.Namespace) -> int | None:
    return run_system("plan", arguments)
