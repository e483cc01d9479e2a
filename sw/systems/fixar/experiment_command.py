"""FIXAR's learning experiments: Pendulum and HalfCheetah."""

import argparse

from ..experiment_steps import add_step_arguments, run_step_experiment
from ..experiments import Arm

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_step_arguments(parser, "fixar")
    parser.add_argument("--array", choices=("numpy", "cupy"), help="what the reference computes with (default numpy)")


def run(arguments: argparse.Namespace) -> int:
    def array(arm: Arm) -> list[str]:
        return ["--array", arguments.array] if arguments.array and "torch" not in arm.options else []

    return run_step_experiment(arguments, array)
