"""DQN, DDPG and SAC with prioritised replay on PEARL's replay manager, its reference, or both in lockstep."""

import argparse
from pathlib import Path
from typing import Any

from ..systems.agents import agent_class, agent_of
from .train_options import (
    add_hyper_parameters,
    add_run_options,
    given_hyper_parameters,
    new_folder,
    print_rows,
    refuse_counts_below,
    result_rows,
    run_in_folder,
)

__all__ = ["add_arguments", "run"]

ALGORITHMS = ("dqn", "ddpg", "sac")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ..algorithms.dqn_config import LOSSES

    parser.add_argument("--algo", choices=ALGORITHMS, help=f"default {ALGORITHMS[0]}")
    parser.add_argument(
        "--env", help="Gymnasium environment: of dqn with numbered actions, as CartPole-v1; else as Pendulum-v1"
    )
    parser.add_argument(
        "--backend",
        help="of what is in hardware: reference (bit-exact NumPy, the default), rtl (Verilated), lockstep (both, every "
        "number compared), or a device as uart:/dev/ttyUSB0",
    )
    parser.add_argument("--config", help="preset of the replay manager, or path of a YAML file (default k16)")
    parser.add_argument(
        "--learner",
        metavar="PRESET",
        help="of dqn and ddpg: take gradient steps on a learner in hardware, too: its preset, as cartpole or pendulum, "
        "or path of a YAML file (default: in PyTorch)",
    )
    parser.add_argument(
        "--learner-backend",
        metavar="BACKEND",
        help="of the learner in hardware, if it is elsewhere than the replay manager, as a board of its own is",
    )
    parser.add_argument(
        "--actors",
        type=int,
        metavar="N",
        help="processes that gather experience during training (default: of dqn none, one after the other; else 1)",
    )
    parser.add_argument(
        "--actors-on",
        choices=("processes", "ray"),
        help="processes of this machine (default), or ray: a cluster's, that of RAY_ADDRESS or the one at hand",
    )
    parser.add_argument("--environments", type=int, metavar="N", help="of each actor (default 8)")
    add_run_options(parser, steps=50_000)
    add_hyper_parameters(parser, *_configurations().values(), choices={"loss": LOSSES})


def _configurations() -> dict[str, Any]:
    """Of each algorithm."""
    from ..algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
    from ..algorithms.dqn_config import DQNConfig

    return {kind.algorithm: kind for kind in (DQNConfig, PrioritizedDDPGConfig, PrioritizedSACConfig)}


def run(arguments: argparse.Namespace) -> None:
    from ..systems.pearl.parallel_agent import ParallelAgent

    refuse_counts_below(1, arguments, "steps", "evaluation_episodes")
    algorithm = arguments.algo or ALGORITHMS[0]
    given = given_hyper_parameters(arguments, *_configurations().values())

    parallel = {
        name: getattr(arguments, name) for name in ParallelAgent.SETTINGS if getattr(arguments, name) is not None
    }
    if parallel and arguments.actors is None and not arguments.resume and algorithm == "dqn":
        options = " and ".join(f"--{name.replace('_', '-')}" for name in parallel)
        raise ValueError(f"{options} is of actors: give --actors, too")

    learner = {"learner": arguments.learner} if arguments.learner else {}
    elsewhere = {"learner_backend": arguments.learner_backend} if arguments.learner_backend else {}
    if elsewhere and not learner and not arguments.resume:
        raise ValueError("--learner-backend is where a learner in hardware is: give --learner, too")

    def resume(checkpoint: Path) -> Any:
        return agent_of(checkpoint).load(
            checkpoint, arguments.env, backend=arguments.backend, hardware=arguments.config, **elsewhere
        )

    def begin() -> tuple[Any, Path]:
        if not arguments.env:
            raise ValueError("--env is needed: a Gymnasium environment, as CartPole-v1 for dqn")
        # Another algorithm's hyper-parameter is refused by its name.
        configuration = _configurations()[algorithm]
        config = configuration.from_mapping({**configuration.suited_to(arguments.env, **learner), **given})
        backend = arguments.backend or "reference"
        name = f"{arguments.env}-{algorithm}-{backend.split(':')[0]}-{config.seed}"
        directory = new_folder(arguments, name)
        kind = agent_class(algorithm if algorithm == "dqn" and not parallel else f"parallel-{algorithm}")
        settings = {"hardware": arguments.config or "k16", "backend": backend, **learner, **elsewhere, **parallel}
        return kind(arguments.env, config, **settings), directory

    told = [*given, *parallel, *learner, *(["algo"] if arguments.algo else [])]
    summary, directory = run_in_folder("pearl", arguments, told, resume, begin)
    print_rows([*result_rows(summary), *_hardware_rows(summary["counters"]), ("files", str(directory))])


def _hardware_rows(counters: dict[str, Any]) -> list[tuple[str, str]]:
    steps = counters["gradient_steps"]
    rows = [("training", f"{steps} gradient steps")]
    if counters.get("restarts"):
        rows.append(("actors", f"{counters['restarts']} started again, {counters['dropped']} experiences dropped"))
    if steps and counters.get("sample_cycles"):
        sample, update = (counters[f"{name}_cycles"] / steps for name in ("sample", "update"))
        rows.append(("replay", f"{sample:.0f} cycles a batch of samples, {update:.0f} a batch of updates, RTL"))
    if steps and counters.get("step_cycles"):
        rows.append(("learner", f"{counters['step_cycles'] / steps:.0f} cycles a gradient step, RTL"))
    for part, done, compared in (
        ("replay", "packets of requests to", "answers"),
        ("learner", "gradient steps on", "numbers"),
    ):
        if f"{part}_lockstep_steps" in counters:
            count, total, equal = (counters[f"{part}_lockstep_{what}"] for what in ("steps", "compared", "equal"))
            rows.append(("lockstep", f"{count} {done} the RTL, too"))
            rows.append(("", f"{total} {compared} compared, {equal} equal"))
    return rows
