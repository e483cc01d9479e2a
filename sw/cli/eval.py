"""Evaluate the policy of a training run."""

import argparse
from pathlib import Path

from ..systems.options import add_import_option, add_threads_option
from ..systems.results import add_json_option, add_out_option, make_folder, show

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", type=Path, metavar="DIR", help="folder of the run")
    parser.add_argument(
        "--episodes", type=int, help="number of episodes (default 10; for IC3Net 100, in whole batches)"
    )
    parser.add_argument("--backend", help="where the policy runs (default: where it was trained)")
    parser.add_argument(
        "--steps",
        type=int,
        help="cut episodes off after so many steps, for slow backends (default: they run to their end)",
    )
    parser.add_argument("--seed", type=int, help="seed of the starting states (default: the same states each time)")
    parser.add_argument("--video", type=Path, metavar="FILE.gif", help="film an episode, if the environment can draw")
    add_threads_option(parser)
    add_out_option(parser, "evaluation.json")
    add_json_option(parser)
    add_import_option(parser)


def run(arguments: argparse.Namespace) -> None:
    from ..core.run_folder import CHECKPOINT
    from ..core.threads import limited_threads
    from ..systems.agents import load_agent
    from ..systems.options import import_modules, refuse_counts_below

    refuse_counts_below(1, arguments, "episodes", "steps")
    refuse_counts_below(0, arguments, "seed")
    import_modules(arguments)
    # Not the folder: an error about a missing name speaks of a run.
    checkpoint = arguments.directory / CHECKPOINT
    with load_agent(checkpoint, backend=arguments.backend) as agent, limited_threads(agent.suited_threads):
        make_folder(arguments.out)
        outcome = agent.evaluation(arguments.episodes, seed=arguments.seed, steps=arguments.steps)
        content = {**agent.about(), f"{agent.unit}s": agent.count, **outcome}
        show(arguments, content, lambda: "\n".join(agent.describe_evaluation(outcome)), "evaluation.json")
        if arguments.video:
            agent.film(arguments.video, seed=arguments.seed)
