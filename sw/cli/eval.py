"""Evaluate the policy of a training run."""

import argparse
from pathlib import Path

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="folder of the run")
    parser.add_argument("--episodes", type=int, default=10, help="how many (default %(default)s)")
    parser.add_argument("--backend", help="where the policy runs (default: where it was trained)")


def run(arguments: argparse.Namespace) -> None:
    from ..agents.ddpg import DDPG
    from ..agents.run_folder import CHECKPOINT

    if arguments.episodes < 1:
        raise ValueError(f"--episodes must be at least 1, not {arguments.episodes}")
    agent = DDPG.load(arguments.directory / CHECKPOINT, backend=arguments.backend)
    try:
        returns = agent.evaluate(arguments.episodes)
    finally:
        agent.close()
    for episode, value in enumerate(returns):
        print(f"episode {episode:3}  return {value:10.2f}")
    print(f"mean {returns.mean():.2f}, standard deviation {returns.std():.2f}, after {agent.num_timesteps} steps")
