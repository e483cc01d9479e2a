"""Place the tasks of a training iteration on the devices of a platform, and print the schedule."""

import argparse
from pathlib import Path
from typing import Any

from ..mapping.composer.workloads import HIDDEN_SIZES, environment_sizes
from ..systems.options import sizes
from ..systems.results import add_json_option, add_out_option, make_folder, show

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ..mapping.composer.platform import list_platforms

    parser.add_argument("--algo", choices=tuple(HIDDEN_SIZES), help="algorithm that trains")
    parser.add_argument("--env", help="Gymnasium environment, e.g. CartPole-v1")
    parser.add_argument(
        "--platform", metavar="FILE", help=f"YAML file, or one of {', '.join(list_platforms())}: devices and links"
    )
    parser.add_argument(
        "--problem",
        type=Path,
        metavar="FILE",
        help="YAML file of devices, links, tasks and latencies, instead of --algo, --env and --platform",
    )
    parser.add_argument(
        "--hidden-sizes", type=sizes, metavar="A,B,...", help="hidden layers of all networks (default by algorithm)"
    )
    parser.add_argument("--batch-size", type=int, default=128, help="experiences per batch (default %(default)s)")
    parser.add_argument(
        "--buffer-size",
        type=int,
        default=1 << 17,
        help="experiences that the replay buffer holds (default %(default)s)",
    )
    parser.add_argument("--actors", type=int, default=4, help="number of actors (default %(default)s)")
    parser.add_argument(
        "--seed", type=int, default=0, help="seed of the data that latencies are measured with (default %(default)s)"
    )
    parser.add_argument(
        "--refine",
        action="store_true",
        help="after Algorithm 3's placement move single tasks while that shortens the schedule",
    )
    add_out_option(parser, "schedule.json and schedule.png")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    from ..mapping.composer.composer import compose
    from ..mapping.composer.composition_report import as_text, report

    if arguments.actors < 1:
        raise ValueError(f"--actors must be at least 1, not {arguments.actors}")
    if arguments.seed < 0:
        raise ValueError(f"--seed must be at least 0, not {arguments.seed}")
    make_folder(arguments.out)
    problem, title = _problem(arguments)
    composition = compose(problem, actors=arguments.actors, refine=arguments.refine)
    content = report(composition, problem, title)
    show(arguments, content, lambda: as_text(content), "schedule.json")
    if arguments.out is not None:
        from ..mapping.composer.gantt import plot_schedule

        plot_schedule(arguments.out / "schedule.png", composition, title)


def _problem(arguments: argparse.Namespace) -> Any:
    """The problem to compose, and its name."""
    from ...hw.soc.under_way import under_way
    from ..mapping.composer.algorithms import Workload, training_iteration
    from ..mapping.composer.platform import load_platform
    from ..mapping.composer.problem import read_problem
    from ..mapping.composer.profiling import profile

    three = {name: getattr(arguments, name) for name in ("algo", "env", "platform")}
    if arguments.problem:
        given = [f"--{name}" for name, value in three.items() if value is not None]
        if given:
            raise ValueError(f"--problem has all that is composed: omit {', '.join(given)}")
        return read_problem(arguments.problem), arguments.problem.stem
    missing = [f"--{name}" for name, value in three.items() if value is None]
    if missing:
        raise ValueError(f"{', '.join(missing)} needed, or --problem")
    platform = load_platform(arguments.platform)
    observation_size, action_size = environment_sizes(arguments.env, discrete=arguments.algo == "dqn")
    workload = Workload(
        algorithm=arguments.algo,
        observation_size=observation_size,
        action_size=action_size,
        hidden_sizes=arguments.hidden_sizes or HIDDEN_SIZES[arguments.algo],
        batch=arguments.batch_size,
        leaves=arguments.buffer_size,
    )
    layers = "-".join(map(str, workload.critic))
    title = (
        f"{arguments.algo} on {arguments.env}, {layers}, batch {workload.batch}, {workload.leaves} experiences; "
        f"{Path(arguments.platform).stem}"
    )
    with under_way("measuring and modelling the tasks"):
        return profile(training_iteration(workload), platform, arguments.seed), title
