"""MAAC's learning experiments: Rover-Tower and a task of the Multi-Agent Particle Environments."""

import argparse

from ..experiment_steps import add_step_arguments, run_step_experiment

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_step_arguments(parser, "maac")


def run(arguments: argparse.Namespace) -> int:
    return run_step_experiment(arguments)
