"""DQN with prioritised replay on PEARL's replay manager, its reference, or both in lockstep."""

import argparse
from pathlib import Path
from typing import Any

from .step_agents import agent_of
from .train_options import (
    add_hyper_parameters,
    add_run_options,
    given_hyper_parameters,
    new_folder,
    print_rows,
    refuse_counts_below_one,
    result_rows,
    run_in_folder,
)

__all__ = ["add_arguments", "run"]

ALGORITHMS = ("dqn",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ..runtime.dqn_config import LOSSES, DQNConfig

    parser.add_argument("--algo", choices=ALGORITHMS, default="dqn", help="default %(default)s")
    parser.add_argument("--env", help="Gymnasium environment with numbered actions, as CartPole-v1")
    parser.add_argument(
        "--backend",
        help="of what is in hardware: reference (bit-exact NumPy, the default), rtl (Verilated), lockstep (both, every "
        "number compared), or a device as uart:/dev/ttyUSB0",
    )
    parser.add_argument("--config", help="preset of the replay manager, or path of a YAML file (default k16)")
    parser.add_argument(
        "--learner",
        metavar="PRESET",
        help="take gradient steps on a learner in hardware, too: its preset, as cartpole, or path of a YAML file "
        "(default: in PyTorch)",
    )
    parser.add_argument(
        "--actors",
        type=int,
        metavar="N",
        help="processes that gather experience during training (default: none; one after the other)",
    )
    parser.add_argument("--environments", type=int, metavar="N", help="of each actor (default 8)")
    add_run_options(parser, steps=50_000)
    add_hyper_parameters(parser, DQNConfig, {"loss": LOSSES})


def run(arguments: argparse.Namespace) -> None:
    from ..runtime.dqn import DQN
    from ..runtime.dqn_config import DQNConfig, suited_to
    from ..runtime.parallel_dqn import ParallelDQN

    refuse_counts_below_one(arguments, "steps", "evaluation_episodes")
    given = given_hyper_parameters(arguments, DQNConfig)

    if arguments.environments is not None and not arguments.actors and not arguments.resume:
        raise ValueError("--environments are those of actors: give --actors, too")
    parallel = {name: getattr(arguments, name) for name in ParallelDQN.SETTINGS if getattr(arguments, name) is not None}

    def resume(checkpoint: Path) -> DQN:
        return agent_of(checkpoint).load(
            checkpoint, arguments.env, backend=arguments.backend, hardware=arguments.config
        )

    def begin() -> tuple[DQN, Path]:
        if not arguments.env:
            raise ValueError("--env is needed: a Gymnasium environment with numbered actions, as CartPole-v1")
        config = DQNConfig.from_mapping({**suited_to(arguments.env, arguments.learner), **given})
        backend = arguments.backend or "reference"
        name = f"{arguments.env}-{arguments.algo}-{backend.split(':')[0]}-{config.seed}"
        directory = new_folder(arguments, name)
        kind = ParallelDQN if parallel else DQN
        hardware = {"hardware": arguments.config or "k16", "learner": arguments.learner}
        return kind(arguments.env, config, **hardware, backend=backend, **parallel), directory

    chosen = [*given, *parallel, *(["learner"] if arguments.learner else [])]
    summary, directory = run_in_folder(arguments, chosen, resume, begin)
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
