"""DYNAMAP's learning experiment: a policy of pixels on floating-point numbers and on integers."""

import argparse

from ..experiment_steps import add_step_arguments, run_step_experiment

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_step_arguments(parser, "dynamap")


def run(arguments: argparse.Namespace) -> int:
    return run_step_experiment(arguments)
