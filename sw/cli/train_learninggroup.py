"""IC3Net with weight grouping on LearningGroup's task."""

import argparse
import dataclasses
from pathlib import Path
from typing import Any

from .train_options import print_rows, refuse_counts_below

__all__ = ["add_arguments", "run"]

ENVIRONMENT = "predator-prey"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ..core.environments.predator_prey_config import LEVELS, MODES

    parser.add_argument("--env", choices=(ENVIRONMENT,), default=ENVIRONMENT, help="environment (default %(default)s)")
    parser.add_argument("--level", choices=tuple(LEVELS), default="easy", help="of the authors (default %(default)s)")
    parser.add_argument("--agents", type=int, metavar="N", help="predators (default: the level's)")
    parser.add_argument("--mode", choices=MODES, help="rewards (default cooperative)")
    parser.add_argument(
        "--backend",
        help="torch (autograd, the default), blocks (the same, faster with groups), reference (bit-exact NumPy), "
        "rtl (Verilated), lockstep (both, compared), or a device as uart:/dev/ttyUSB0",
    )
    parser.add_argument("--config", help="preset of the device, or path of a YAML file (default paper; not for torch)")
    parser.add_argument("--iterations", type=int, default=2000, help="updates in all (default %(default)s)")
    parser.add_argument("-o", "--out", type=Path, help="folder for checkpoint, metrics and plots")
    parser.add_argument("--resume", type=Path, metavar="DIR", help="go on with the run in DIR, bit-identically")
    parser.add_argument("--lockstep-every", type=int, default=100, metavar="K", help="compare every K-th iteration")
    parser.add_argument("--checkpoint-every", type=int, default=500, metavar="ITERATIONS", help="0: only at the end")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    _add_hyper_parameters(parser)


def _add_hyper_parameters(parser: argparse.ArgumentParser) -> None:
    from ..algorithms.ic3net.ic3net_config import GROUPING_GRADIENTS, PRECISIONS, SPARSITIES, IC3NetConfig

    choices = {"grouping_gradient": GROUPING_GRADIENTS, "precision": PRECISIONS, "sparsity": SPARSITIES}
    group = parser.add_argument_group("hyper-parameters")
    for field in dataclasses.fields(IC3NetConfig):
        option = "--" + field.name.replace("_", "-")
        if field.name in choices:
            group.add_argument(option, choices=choices[field.name], help=f"default {field.default}")
        else:
            kind = int if field.type is int else float
            group.add_argument(option, type=kind, metavar="N" if kind is int else "X", help=f"default {field.default}")


def run(arguments: argparse.Namespace) -> None:
    from ..algorithms.ic3net.ic3net_config import IC3NetConfig
    from ..core.environments.predator_prey_config import LEVELS
    from ..core.run_folder import CHECKPOINT
    from ..systems.agents import run_to_resume
    from ..systems.learninggroup.agent import IC3Net
    from ..systems.learninggroup.ic3net_learner import PYTORCH
    from ..systems.learninggroup.run import IC3NetRun

    refuse_counts_below(1, arguments, "iterations", "lockstep_every")
    refuse_counts_below(0, arguments, "checkpoint_every")
    names = [field.name for field in dataclasses.fields(IC3NetConfig)]
    given = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    task = {"predators": arguments.agents, "mode": arguments.mode}
    task = {name: value for name, value in task.items() if value is not None}
    if arguments.resume:
        directory = arguments.resume
        changed = [*given, *({"predators": "agents"}.get(name, name) for name in task)]
        if changed or arguments.out:
            options = ", ".join([*changed, *(["out"] if arguments.out else [])])
            raise ValueError(f"--resume goes on with the run's own {options}: leave the option away")
        agent = IC3Net.load(
            run_to_resume("learninggroup", directory),
            backend=arguments.backend,
            lockstep_every=arguments.lockstep_every,
        )
    else:
        hardware, backend = None, arguments.backend or "torch"
        if backend in PYTORCH:
            if arguments.config:
                raise ValueError(f"--config is of a device; backend {backend} has none")
        else:
            hardware, defaults = _device(arguments.config or "paper", given)
            given = {**defaults, **given}
        config = IC3NetConfig.from_mapping(given)
        chosen = dataclasses.replace(LEVELS[arguments.level], **task)
        name = f"predator-prey-{arguments.level}-{chosen.predators}-groups-{config.groups}-seed-{config.seed}"
        directory = arguments.out or Path("runs") / name
        if (directory / CHECKPOINT).exists():
            raise ValueError(f"{directory} holds a run already: --resume {directory} goes on with it")
        agent = IC3Net(chosen, config, backend=backend, hardware=hardware, lockstep_every=arguments.lockstep_every)
    try:
        summary = IC3NetRun(
            agent,
            directory,
            arguments.iterations,
            checkpoint_every=arguments.checkpoint_every,
            progress=not arguments.quiet,
        ).run()
    finally:
        agent.close()
    _print_summary(summary, directory)


def _device(source: str, given: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Configuration of a preset or file and the hyper-parameters that come with it; a precision given goes first."""
    from ...hw.soc.presets import read_preset
    from ..systems.learninggroup.learner import OPTIMIZER_FORMATS, precision_of

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


def _print_summary(summary: dict, directory: Path) -> None:
    """What a run came to, for people."""
    task, config = summary["task"], summary["config"]
    where = f"{task['predators']} predators on {task['size']} x {task['size']} cells, {task['mode']}"
    rows = [
        ("task", f"{where}, vision {task['vision']}, {task['steps']} steps"),
        ("training", f"{summary['iterations']} iterations of {config['episodes']} episodes, seed {config['seed']}"),
        ("success", f"{100 * summary['success']:.1f} % of the last {summary['episodes']} episodes"),
        ("arrived", f"{100 * summary['arrived']:.1f} % of the predators"),
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
    if "lockstep_steps" in counters:
        compared, equal = counters["lockstep_compared"], counters["lockstep_equal"]
        rows.append(("lockstep", f"{counters['lockstep_steps']} iterations on the RTL, too"))
        rows.append(("", f"{compared} numbers compared, {equal} equal"))
    rows.append(("files", str(directory)))
    print_rows(rows)
