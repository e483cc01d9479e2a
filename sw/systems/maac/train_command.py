"""MAAC, actors with attentive critics, on Rover-Tower or on an environment of the user's."""

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from ..options import (
    add_hyper_parameters,
    add_run_options,
    given_hyper_parameters,
    lockstep_rows,
    print_result,
    refuse_counts_below,
)
from ..training import TrainingPlan, folder_name, plain, train

__all__ = ["add_arguments", "run"]

# Options that say what Rover-Tower is like.
TASK = ("agents", "reward", "own_state")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...algorithms.maac.maac_config import MAACConfig
    from ...core.environments.rover_tower_config import REWARDS, ROVER_TOWER, RoverTowerConfig

    parser.add_argument(
        "--env",
        help=f"environment: {ROVER_TOWER} (default), mpe2/simple_spread_v3 or the like, MODULE:FACTORY for what makes "
        "a parallel environment of PettingZoo, or an identifier of its registry",
    )
    parser.add_argument(
        "--episode-steps",
        type=int,
        metavar="N",
        help="time steps after which episodes are cut off (default: the environment's max_cycles)",
    )
    parser.add_argument(
        "--agents",
        type=int,
        metavar="N",
        help=f"for {ROVER_TOWER}: number of rovers and towers (default {RoverTowerConfig.agents})",
    )
    parser.add_argument(
        "--reward",
        choices=REWARDS,
        help=f"for {ROVER_TOWER}: reward of the own pair, or the sum of all (default {RoverTowerConfig.reward})",
    )
    parser.add_argument(
        "--own-state",
        action=argparse.BooleanOptionalAction,
        help=f"for {ROVER_TOWER}: whether rovers observe their own position and velocity (default: they do)",
    )
    parser.add_argument(
        "--backend",
        help="torch (PyTorch, the default), reference (bit-exact NumPy), rtl (Verilated), lockstep (both, compared), "
        "or a device, e.g. uart:/dev/ttyUSB0",
    )
    parser.add_argument(
        "--config",
        help="preset of the accelerator, or path of a YAML file (default: one for the agents with a unit a layer; not "
        "for torch)",
    )
    add_run_options(parser, "iteration", 2000)
    add_hyper_parameters(parser, MAACConfig)


def run(arguments: argparse.Namespace) -> None:
    from ....hw.soc.presets import read_preset
    from ...algorithms.maac.maac_config import MAACConfig
    from ...core.backends import parse_backend
    from ...core.environments.rover_tower_config import ROVER_TOWER
    from .agent import MAAC
    from .backends import HOST, update_on

    refuse_counts_below(1, arguments, "episode_steps")
    given = given_hyper_parameters(arguments, MAACConfig)
    if arguments.backend:
        parse_backend(arguments.backend, HOST)

    def resume(checkpoint: Path) -> MAAC:
        # Rover-Tower is made of the checkpoint's task, another environment of its identifier.
        env = None if arguments.env == ROVER_TOWER else arguments.env
        return MAAC.load(checkpoint, env, backend=arguments.backend)

    def begin() -> TrainingPlan:
        backend = arguments.backend or "torch"
        preset = read_preset(arguments.config, "maac") if arguments.config else None
        update_on(backend, preset and preset.hardware)
        config = MAACConfig.from_mapping({**(preset.training if preset else {}), **given})
        env, steps, name, task = _environment(arguments)
        return TrainingPlan(
            make=lambda: MAAC(env, config, steps=steps, backend=backend, hardware=preset and preset.hardware),
            name=folder_name(name, preset=arguments.config, backend=backend, seed=config.seed),
            about={
                "env": arguments.env or ROVER_TOWER,
                "task": task,
                "backend": backend,
                "config": config.to_mapping(),
                "hardware": plain(preset and preset.hardware),
            },
        )

    told = [*given, *(name for name in (*TASK, "episode_steps") if getattr(arguments, name) is not None)]
    result = train("maac", arguments, told, resume, begin)
    if result is not None:
        summary, directory = result
        print_result(arguments, summary, _rows(summary), directory)


def _environment(arguments: argparse.Namespace) -> tuple[Any, int | None, str, dict[str, Any]]:
    """The environment that the options name, the steps of its episodes, its part of the run's folder name, and its
    task as plain data.

    Raises
    ------
    ValueError
        An option is of another environment.
    """
    from ...core.environments.rover_tower_config import ROVER_TOWER, RoverTowerConfig

    steps = arguments.episode_steps
    given = {name: getattr(arguments, name) for name in TASK if getattr(arguments, name) is not None}
    if arguments.env in (None, ROVER_TOWER):
        config = RoverTowerConfig(**given, **({} if steps is None else {"steps": steps}))
        return config, None, f"{ROVER_TOWER}-{config.agents}", dataclasses.asdict(config)
    for name in given:
        raise ValueError(f"--{name.replace('_', '-')} is for {ROVER_TOWER}: omit it with --env {arguments.env}")
    return arguments.env, steps, f"{arguments.env.translate(str.maketrans(':/', '--'))}-maac", {"steps": steps}


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Results of a run, for people."""
    task, config = summary["task"], summary["config"]
    rows = [
        ("environment", f"{summary['env']}, {task['agents']} agents, {task['steps']} steps"),
        ("training", f"{summary['iterations']} iterations of {config['episodes']} episodes, seed {config['seed']}"),
    ]
    # A run whose metrics were lost has none.
    if "return" in summary:
        random = f" (random actions: {summary['random_return']:.2f})" if "random_return" in summary else ""
        rows.append(("return", f"{summary['return']:.2f}, mean of the last {summary['episodes']} episodes{random}"))
    if "evaluation" in summary:
        evaluation = summary["evaluation"]
        rows.append(
            ("evaluation", f"{evaluation['return']:.2f}, mean of {evaluation['episodes']} episodes, likeliest actions")
        )
    rows.append(("updates", f"{summary['counters']['updates']} of {config['batch_size']} experiences"))
    if summary["hardware"]:
        hardware = summary["hardware"]
        rows.insert(1, ("device", f"configuration {hardware['name']}"))
    if "device_cycles" in summary["counters"]:
        rows.append(("device", f"{summary['counters']['device_cycles']} cycles in updates"))
    if summary["iterations_per_second"]:
        rows.append(("speed", f"{summary['iterations_per_second']:.1f} iterations/s on backend {summary['backend']}"))
    return rows + lockstep_rows(summary["counters"], "updates on", "numbers")
