"""Evaluate the policy of a training run."""

import argparse
from pathlib import Path

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="folder of the run")
    parser.add_argument("--episodes", type=int, help="how many (default 10; of Predator-Prey at least 100)")
    parser.add_argument("--backend", help="where the policy runs (default: where it was trained)")


def run(arguments: argparse.Namespace) -> None:
    from ..core.run_folder import CHECKPOINT
    from ..core.threads import limited_threads
    from ..systems.agents import agent_of

    if arguments.episodes is not None and arguments.episodes < 1:
        raise ValueError(f"--episodes must be at least 1, not {arguments.episodes}")
    checkpoint = arguments.directory / CHECKPOINT
    agent = agent_of(checkpoint).load(checkpoint, backend=arguments.backend)
    with agent, limited_threads(agent.suited_threads):
        print("\n".join(agent.describe_evaluation(arguments.episodes)))
