"""IC3Net with weight grouping, on LearningGroup's task or on an environment of the user's."""

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

ENVIRONMENT = "predator-prey"
LEVEL = "easy"
# Options that say what Predator-Prey is like.
TASK = ("level", "agents", "mode")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...algorithms.ic3net.ic3net_config import GROUPING_GRADIENTS, PRECISIONS, SPARSITIES, IC3NetConfig
    from ...core.environments.predator_prey_config import LEVELS, MODES

    parser.add_argument(
        "--env",
        help=f"environment: {ENVIRONMENT} (default), mpe2/simple_spread_v3 or the like, MODULE:FACTORY for what makes "
        "a parallel environment of PettingZoo, or an identifier of its registry",
    )
    parser.add_argument(
        "--episode-steps",
        type=int,
        metavar="N",
        help="time steps after which episodes are cut off (default: the environment's max_cycles; "
        f"not of {ENVIRONMENT})",
    )
    parser.add_argument(
        "--level",
        choices=tuple(LEVELS),
        help=f"for {ENVIRONMENT}: difficulty, as its authors define it (default {LEVEL})",
    )
    parser.add_argument(
        "--agents", type=int, metavar="N", help=f"for {ENVIRONMENT}: number of predators (default: the level's)"
    )
    parser.add_argument("--mode", choices=MODES, help=f"for {ENVIRONMENT}: kind of rewards (default cooperative)")
    parser.add_argument(
        "--backend",
        help="torch (autograd, the default), blocks (the same, faster with groups), reference (bit-exact NumPy), "
        "rtl (Verilated), lockstep (both, compared), or a device, e.g. uart:/dev/ttyUSB0",
    )
    parser.add_argument("--config", help="preset of the device, or path of a YAML file (default paper; not for torch)")
    parser.add_argument("--lockstep-every", type=int, default=100, metavar="K", help="compare every K-th iteration")
    add_run_options(parser, "iteration", 2000)
    choices = {"grouping_gradient": GROUPING_GRADIENTS, "precision": PRECISIONS, "sparsity": SPARSITIES}
    add_hyper_parameters(parser, IC3NetConfig, choices=choices)


def run(arguments: argparse.Namespace) -> None:
    from ...algorithms.ic3net.ic3net_config import IC3NetConfig
    from .agent import IC3Net
    from .ic3net_learner import PYTORCH

    refuse_counts_below(1, arguments, "lockstep_every", "episode_steps")
    given = given_hyper_parameters(arguments, IC3NetConfig)

    def resume(checkpoint: Path) -> IC3Net:
        # Predator-Prey is made of the checkpoint's task, another environment of its identifier.
        env = None if arguments.env == ENVIRONMENT else arguments.env
        return IC3Net.load(checkpoint, env, backend=arguments.backend, lockstep_every=arguments.lockstep_every)

    def begin() -> TrainingPlan:
        hardware, backend = None, arguments.backend or "torch"
        defaults: dict[str, Any] = {}
        if backend not in PYTORCH:
            hardware, defaults = _device(arguments.config or "paper", given)
        elif arguments.config:
            raise ValueError(f"--config is for a device; backend {backend} has none")
        config = IC3NetConfig.from_mapping({**defaults, **given})
        env, name, task = _environment(arguments)
        return TrainingPlan(
            make=lambda: IC3Net(
                env,
                config,
                steps=arguments.episode_steps,
                backend=backend,
                hardware=hardware,
                lockstep_every=arguments.lockstep_every,
            ),
            name=folder_name(
                name, f"groups-{config.groups}", preset=arguments.config, backend=backend, seed=config.seed
            ),
            about={
                "env": arguments.env or ENVIRONMENT,
                "task": task,
                "backend": backend,
                "config": config.to_mapping(),
                "hardware": plain(hardware),
            },
        )

    told = [*given, *(name for name in (*TASK, "episode_steps") if getattr(arguments, name) is not None)]
    result = train("learninggroup", arguments, told, resume, begin)
    if result is not None:
        summary, directory = result
        print_result(arguments, summary, _rows(summary), directory)


def _environment(arguments: argparse.Namespace) -> tuple[Any, str, dict[str, Any]]:
    """The environment of the options, its part of a run's folder's name, and its description as plain data.

    Raises
    ------
    ValueError
        An option is of another environment.
    """
    from ...core.environments.predator_prey_config import LEVELS

    if arguments.env not in (None, ENVIRONMENT):
        for name in TASK:
            if getattr(arguments, name) is not None:
                raise ValueError(f"--{name} is for {ENVIRONMENT}: omit it with --env {arguments.env}")
        return arguments.env, arguments.env.translate(str.maketrans(":/", "--")), {"steps": arguments.episode_steps}
    if arguments.episode_steps is not None:
        raise ValueError(f"--episode-steps is not for {ENVIRONMENT}, whose levels set it: omit it")
    level = arguments.level or LEVEL
    task = {"predators": arguments.agents, "mode": arguments.mode}
    chosen = dataclasses.replace(LEVELS[level], **{name: value for name, value in task.items() if value is not None})
    return chosen, f"{ENVIRONMENT}-{level}-{chosen.predators}", plain(chosen)


def _device(source: str, given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Configuration of a preset or file and the hyper-parameters that come with it; a precision given goes first."""
    from ....hw.soc.presets import read_preset
    from .learner import OPTIMIZER_FORMATS, precision_of

    preset = read_preset(source, "learninggroup")
    hardware = preset.hardware
    if "precision" in given:
        if given["precision"] not in OPTIMIZER_FORMATS:
            raise ValueError(
                f"precision must be {' or '.join(OPTIMIZER_FORMATS)} on a device, not {given['precision']}"
            )
        device = dataclasses.replace(hardware.device, optimizer_format=OPTIMIZER_FORMATS[given["precision"]])
        hardware = dataclasses.replace(hardware, device=device)
    return hardware, {**preset.training, "precision": precision_of(hardware.device)}


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Results of a run, for people."""
    task, config = summary["task"], summary["config"]
    if summary["env"] == ENVIRONMENT:
        where = f"{task['predators']} predators on {task['size']} x {task['size']} cells, {task['mode']}"
        what = "task", f"{where}, vision {task['vision']}, {task['steps']} steps"
        came_to = [
            ("success", f"{100 * summary['success']:.1f} % of the last {summary['episodes']} episodes"),
            ("arrived", f"{100 * summary['arrived']:.1f} % of the predators"),
        ]
    else:
        sizes = f"{task['agents']} agents that observe {task['observation_size']} and have {task['actions']} actions"
        what = "environment", f"{summary['env']}, {sizes}, {task['steps']} steps"
        told = f"{summary['return']:.2f}, mean of the last {summary['episodes']} episodes"
        came_to = [("return", f"{told}, of {summary['length']:.1f} steps")]
    rows = [
        what,
        ("training", f"{summary['iterations']} iterations of {config['episodes']} episodes, seed {config['seed']}"),
        *came_to,
        ("sparsity", f"{100 * summary['sparsity']:.1f} % ({config['groups']} groups)"),
    ]
    if summary["hardware"]:
        hardware = summary["hardware"]["device"]
        units = f"{hardware['cores']} cores of {hardware['clusters'] * hardware['cluster_vpus']} VPUs"
        formats = f"network in binary16, optimiser in {hardware['optimizer_format']}"
        rows.insert(1, ("device", f"configuration {hardware['name']}, {units}; {formats}"))
    if "lost_updates" in summary:
        rows.append(("rounding", f"{100 * summary['lost_updates']:.2f} % of the weights' steps were lost"))
    if summary["iterations_per_second"]:
        rows.append(("speed", f"{summary['iterations_per_second']:.1f} iterations/s on backend {summary['backend']}"))
    counters = summary["counters"]
    if "measured_cycles" in counters:
        cycles = counters["measured_cycles"] / counters["measured_iterations"]
        rows.append(("iteration", f"{cycles:.0f} cycles on the device, mean of {counters['measured_iterations']}"))
        shares = counters["utilization"].items()
        rows.append(("utilisation", ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares)))
    return rows + lockstep_rows(counters, "iterations on", "numbers")
