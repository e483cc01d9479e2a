"""A3C, agents that learn side by side, on any environment with numbered actions and vectors to observe."""

import argparse
from pathlib import Path
from typing import Any

from ...actors.places import PLACES, PROCESSES
from ..options import (
    add_hyper_parameters,
    add_run_options,
    given_hyper_parameters,
    lockstep_rows,
    print_result,
    result_rows,
)
from ..training import TrainingPlan, folder_name, plain, train

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters

    parser.add_argument(
        "--env", help="Gymnasium environment with discrete actions, e.g. CartPole-v1 or ALE/Breakout-v5"
    )
    parser.add_argument(
        "--obs",
        choices=("ram",),
        help="observations of an Atari game: its 128 bytes of memory, as numbers from 0 to 1, the only choice",
    )
    parser.add_argument(
        "--backend",
        help="torch (PyTorch, the default), reference (bit-exact NumPy), rtl (Verilated), lockstep (both, compared), "
        "or a device, e.g. uart:/dev/ttyUSB0",
    )
    parser.add_argument(
        "--config",
        help="preset of the device, or path of a YAML file (default: a small one for the network; not for torch)",
    )
    parser.add_argument(
        "--environments",
        choices=PLACES,
        help="where environments run: each in a process (default); in this process, which is reproducible; or ray: "
        "each in a process on the cluster of RAY_ADDRESS or a local one",
    )
    add_run_options(parser, "step", 500_000, evaluate_every=50_000)
    add_hyper_parameters(parser, A3CHyperParameters)


def run(arguments: argparse.Namespace) -> None:
    from ....hw.soc.presets import read_preset
    from ...algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
    from ...core.backends import parse_backend
    from ...core.environments.arcade import ARCADE
    from .agent import A3C
    from .backends import HOST, service_on

    given = given_hyper_parameters(arguments, A3CHyperParameters)
    if arguments.obs and arguments.env and not arguments.env.startswith(ARCADE):
        raise ValueError(f"--obs is for games of the ALE: omit it with --env {arguments.env}")
    if arguments.backend:
        parse_backend(arguments.backend, HOST)

    def resume(checkpoint: Path) -> A3C:
        return A3C.load(checkpoint, arguments.env, backend=arguments.backend, environments=arguments.environments)

    def begin() -> TrainingPlan:
        if not arguments.env:
            raise ValueError("--env is needed: a Gymnasium environment, such as CartPole-v1")
        backend, environments = arguments.backend or "torch", arguments.environments or PROCESSES
        preset = read_preset(arguments.config, "a3c") if arguments.config else None
        hardware = preset and preset.hardware
        service_on(backend, hardware)
        config = A3CHyperParameters.from_mapping({**(preset.training if preset else {}), **given})
        name = arguments.env.translate(str.maketrans(":/", "--"))
        return TrainingPlan(
            make=lambda: A3C(arguments.env, config, backend=backend, hardware=hardware, environments=environments),
            name=folder_name(name, "a3c", preset=arguments.config, backend=backend, seed=config.seed),
            about={
                "env": arguments.env,
                "backend": backend,
                "environments": environments,
                "config": config.to_mapping(),
                "hardware": plain(hardware),
            },
        )

    result = train("a3c", arguments, [*given, *(["obs"] if arguments.obs else [])], resume, begin)
    if result is not None:
        summary, directory = result
        print_result(arguments, summary, [*result_rows(summary), *_rows(summary)], directory)


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Further results of training, for people."""
    counters, config = summary["counters"], summary["config"]
    rows = [("training", f"{counters['updates']} updates of {config['agents']} agents")]
    if counters["restarts"]:
        rows.append(("environments", f"{counters['restarts']} started again, {counters['dropped']} steps dropped"))
    return rows + lockstep_rows(counters, "requests on", "numbers")
