"""DQN, DDPG and SAC with prioritised replay on PEARL's replay manager, its reference, or both in lockstep."""

import argparse
from pathlib import Path
from typing import Any

from ...actors.places import PLACES
from ...core.hardware import resolve_hardware
from ..agents import agent_class, agent_of
from ..options import (
    add_hyper_parameters,
    add_run_options,
    given_hyper_parameters,
    hyper_parameter_options,
    lockstep_rows,
    print_result,
    result_rows,
)
from ..training import TrainingPlan, folder_name, plain, train

__all__ = ["add_arguments", "run"]

ALGORITHMS = ("dqn", "ddpg", "sac")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...algorithms.dqn_config import LOSSES
    from ...algorithms.replay_parameters import PRECISIONS

    parser.add_argument("--algo", choices=ALGORITHMS, help=f"algorithm that trains (default {ALGORITHMS[0]})")
    parser.add_argument(
        "--env",
        help="Gymnasium environment with discrete actions for dqn, e.g. CartPole-v1, else with continuous ones, "
        "e.g. Pendulum-v1",
    )
    parser.add_argument(
        "--backend",
        help="where the accelerated part runs: reference (bit-exact NumPy, the default), rtl (Verilated), lockstep "
        "(both, every number compared), or a device, e.g. uart:/dev/ttyUSB0",
    )
    parser.add_argument("--config", help="preset of the replay manager, or path of a YAML file (default k16)")
    parser.add_argument(
        "--learner",
        metavar="PRESET",
        help="take gradient steps on a learner in hardware: its preset, e.g. cartpole or pendulum, or path of a "
        "YAML file (default: in PyTorch)",
    )
    parser.add_argument(
        "--learner-backend",
        metavar="BACKEND",
        help="where the learner in hardware runs, if not beside the replay manager, e.g. on a board of its own",
    )
    parser.add_argument(
        "--actors",
        type=int,
        metavar="N",
        help="actors, which gather experience during training (default: none for dqn, which alternates; else 1)",
    )
    parser.add_argument(
        "--actors-on",
        choices=PLACES,
        help="where they run: processes of this machine (default); this process, faster on a single core; or ray: "
        "the cluster of RAY_ADDRESS or a local one",
    )
    parser.add_argument("--environments", type=int, metavar="N", help="environments per actor (default 8)")
    add_run_options(parser, "step", 50_000, evaluate_every=1000)
    # Options and help are those of the algorithm that is named before them or after.
    configurations = _configurations()
    algorithm, reason = _algorithm(parser)
    parser.set_defaults(options_of=algorithm)
    add_hyper_parameters(parser, configurations[algorithm], choices={"loss": LOSSES, "precision": PRECISIONS})
    # Options of other algorithms are told as theirs, by a parser that can.
    owners: dict[str, list[str]] = {}
    for name, configuration in configurations.items():
        for option in hyper_parameter_options(configuration):
            owners.setdefault(option, []).append(name)
    own = hyper_parameter_options(configurations[algorithm])
    elsewhere = {option: names for option, names in owners.items() if option not in own}
    vars(parser)["elsewhere"] = {option: f"of {' and '.join(names)}, {reason}" for option, names in elsewhere.items()}


def _algorithm(parser: argparse.ArgumentParser) -> tuple[str, str]:
    """The algorithm among the arguments, as far as it is one, else that of a run that goes on; and where it is from."""
    only = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    only.add_argument("--algo", nargs="?")
    only.add_argument("--resume", nargs="?", type=Path)
    found = only.parse_known_args(list(getattr(parser, "given", ())))[0]
    if found.algo in ALGORITHMS:
        return found.algo, f"not of {found.algo}"
    if found.resume is not None and (algorithm := _algorithm_of(found.resume)):
        return algorithm, f"and the run in {found.resume} is one of {algorithm}"
    return ALGORITHMS[0], f"not of {ALGORITHMS[0]}: --algo says which"


def _algorithm_of(directory: Path) -> str:
    """The algorithm of the run in a folder; empty if there is none, which is told later."""
    from ...core.checkpoint import CheckpointError, read_about
    from ...core.run_folder import CHECKPOINT

    try:
        name = str(read_about(directory / CHECKPOINT).get("agent")).removeprefix("prioritized-")
    except CheckpointError:
        return ""
    return name if name in ALGORITHMS else ""


def _configurations() -> dict[str, Any]:
    """Configuration classes by algorithm."""
    from ...algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
    from ...algorithms.dqn_config import DQNConfig

    return {kind.algorithm: kind for kind in (DQNConfig, PrioritizedDDPGConfig, PrioritizedSACConfig)}


def run(arguments: argparse.Namespace) -> None:
    # Settings of a run that goes on its own.
    algorithm = arguments.options_of
    configuration = _configurations()[algorithm]
    given = given_hyper_parameters(arguments, configuration)
    parallel = _told(arguments, "actors", "environments", "actors_on")
    learner, elsewhere = _told(arguments, "learner"), _told(arguments, "learner_backend")
    if not arguments.resume:
        if parallel and arguments.actors is None and algorithm == "dqn":
            options = " and ".join(f"--{name.replace('_', '-')}" for name in parallel)
            raise ValueError(f"{options} is for actors: also give --actors")
        if elsewhere and not learner:
            raise ValueError("--learner-backend is where a learner in hardware is: also give --learner")

    def resume(checkpoint: Path) -> Any:
        return agent_of(checkpoint).load(
            checkpoint, arguments.env, backend=arguments.backend, hardware=arguments.config, **elsewhere
        )

    def begin() -> TrainingPlan:
        if not arguments.env:
            raise ValueError("--env is needed: a Gymnasium environment, such as CartPole-v1 for dqn")
        config = configuration.from_mapping(
            {**configuration.suited_to(arguments.env, hardware=arguments.config, **learner), **given}
        )
        backend = arguments.backend or "reference"
        hardware = resolve_hardware(arguments.config or "k16", "pearl")
        settings = {"backend": backend, **learner, **elsewhere, **parallel}
        kind = agent_class(f"prioritized-{algorithm}")
        parts = [algorithm, *(Path(preset).stem for preset in learner.values())]
        if "actors" in parallel:
            parts.append(f"{parallel['actors']}-actors")
        about = {"env": arguments.env, "algorithm": algorithm, **settings, "config": config.to_mapping()}
        return TrainingPlan(
            make=lambda: kind(arguments.env, config, hardware=hardware, **settings),
            name=folder_name(arguments.env, *parts, preset=arguments.config, backend=backend, seed=config.seed),
            about={**about, "hardware": plain(hardware)},
        )

    told = [*given, *parallel, *learner, *(["algo"] if arguments.algo else [])]
    result = train("pearl", arguments, told, resume, begin)
    if result is not None:
        summary, directory = result
        rows = [*result_rows(summary), *_hardware_rows(summary["counters"])]
        print_result(arguments, summary, rows, directory)


def _told(arguments: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Options that were given."""
    return {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}


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
    rows += lockstep_rows(counters, "packets of requests to", "answers", "replay_")
    return rows + lockstep_rows(counters, "gradient steps on", "numbers", "learner_")
