"""Train agents on an accelerator, its reference, or in PyTorch."""

import argparse

from .system_commands import add_systems, run_system

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_systems(parser, "train")


def run(arguments: argparse.Namespace) -> int | None:
    return run_system("train", arguments)
