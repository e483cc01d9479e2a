"""Evaluate the policy of a training run."""

import argparse
from pathlib import Path
from typing import Any

from .step_agents import agent_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="folder of the run")
    parser.add_argument("--episodes", type=int, help="how many (default 10; of Predator-Prey at least 100)")
    parser.add_argument("--backend", help="where the policy runs (default: where it was trained)")


def run(arguments: argparse.Namespace) -> None:
    from ..agents.checkpoint import read_checkpoint
    from ..agents.run_folder import CHECKPOINT

    if arguments.episodes is not None and arguments.episodes < 1:
        raise ValueError(f"--episodes must be at least 1, not {arguments.episodes}")
    checkpoint = arguments.directory / CHECKPOINT
    if read_checkpoint(checkpoint)[1].get("agent") == "ic3net":
        _evaluate_ic3net(checkpoint, arguments)
    else:
        _evaluate_steps(agent_of(checkpoint), checkpoint, arguments)


def _evaluate_ic3net(checkpoint: Path, arguments: argparse.Namespace) -> None:
    from ..agents.ic3net import IC3Net

    agent = IC3Net.load(checkpoint, backend=arguments.backend)
    try:
        outcome = agent.evaluate(arguments.episodes or 100)
    finally:
        agent.close()
    print(
        f"success {100 * outcome['success']:.1f} %, arrived {100 * outcome['arrived']:.1f} % of the predators, "
        f"return {outcome['return']:.2f}, over {outcome['episodes']} episodes, after {agent.iterations} iterations"
    )


def _evaluate_steps(kind: Any, checkpoint: Path, arguments: argparse.Namespace) -> None:
    agent = kind.load(checkpoint, backend=arguments.backend)
    try:
        returns = agent.evaluate(arguments.episodes or 10)
    finally:
        agent.close()
    for episode, value in enumerate(returns):
        print(f"episode {episode:3}  return {value:10.2f}")
    print(f"mean {returns.mean():.2f}, standard deviation {returns.std():.2f}, after {agent.num_timesteps} steps")
