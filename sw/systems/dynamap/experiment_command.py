"""DYNAMAP's learning experiment: a policy that plays from pixels, in float32 and in 8 bits."""

import argparse

from ..experiment_steps import add_step_arguments, run_step_experiment

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_step_arguments(parser, "dynamap")


def run(arguments: argparse.Namespace) -> int:
    return run_step_experiment(arguments)
