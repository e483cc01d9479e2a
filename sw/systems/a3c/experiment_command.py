"""A3C's learning experiments."""

import argparse

from ..experiment_steps import add_step_arguments, run_step_experiment

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_step_arguments(parser, "a3c")


def run(arguments: argparse.Namespace) -> int:
    return run_step_experiment(arguments)
