"""DDPG on FIXAR, its reference, both in lockstep, or PyTorch."""

import argparse
import dataclasses
from pathlib import Path

__all__ = ["add_arguments", "run", "sizes"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--env", help="Gymnasium environment with continuous actions, as Pendulum-v1")
    parser.add_argument(
        "--backend",
        help="reference (bit-exact NumPy, the default), rtl (Verilated), lockstep (both, compared), "
        "torch (float32), or a device as uart:/dev/ttyUSB0",
    )
    parser.add_argument("--steps", type=int, default=10_000, help="environment steps in all (default %(default)s)")
    parser.add_argument("--config", help="preset, or path of a YAML file (default small)")
    parser.add_argument(
        "--out", type=Path, help="folder for checkpoint, metrics and plots (default runs/ENV-BACKEND-SEED)"
    )
    parser.add_argument("--resume", type=Path, metavar="DIR", help="go on with the run in DIR, bit-identically")
    parser.add_argument("--lockstep-every", type=int, default=100, metavar="K", help="compare every K-th training step")
    parser.add_argument("--evaluate-every", type=int, default=1000, metavar="STEPS", help="0: only at the end")
    parser.add_argument("--evaluation-episodes", type=int, default=10, metavar="COUNT")
    parser.add_argument("--checkpoint-every", type=int, default=5000, metavar="STEPS", help="0: only at the end")
    parser.add_argument("--array", choices=("numpy", "cupy"), help="what the reference computes with")
    parser.add_argument(
        "--sixteen-bit",
        type=int,
        metavar="FRACTION",
        help="words of 16 bits from the start, weights with so many fraction bits: the case that fails (reference)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    add_hyper_parameters(parser)


def add_hyper_parameters(parser: argparse.ArgumentParser) -> None:
    """An option for each hyper-parameter; those not given come from the configuration's file, or are the defaults."""
    from ..agents.ddpg_config import DDPGConfig

    group = parser.add_argument_group("hyper-parameters (defaults: those of the configuration)")
    for field in dataclasses.fields(DDPGConfig):
        option = "--" + field.name.replace("_", "-")
        if field.name == "hidden_sizes":
            group.add_argument(option, type=sizes, metavar="A,B,...", default=None)
        else:
            whole = field.type in (int, int | None)
            group.add_argument(option, type=int if whole else float, metavar="N" if whole else "X", default=None)


def sizes(text: str) -> tuple[int, ...]:
    """Numbers of neurons, as an option gives them."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of whole numbers, as 400,300") from None


def hyper_parameters(arguments: argparse.Namespace, defaults: dict):
    """The configuration's hyper-parameters with those of the command line over them."""
    from ..agents.ddpg_config import DDPGConfig

    given = {field.name: getattr(arguments, field.name) for field in dataclasses.fields(DDPGConfig)}
    return DDPGConfig.from_mapping({**defaults, **{name: value for name, value in given.items() if value is not None}})


def run(arguments: argparse.Namespace) -> None:
    from ..agents.ddpg import DDPG
    from ..agents.hardware import resolve_training
    from ..agents.run_folder import CHECKPOINT
    from ..agents.training_run import TrainingRun

    for name in ("steps", "lockstep_every", "evaluation_episodes"):
        if getattr(arguments, name) < 1:
            raise ValueError(f"--{name.replace('_', '-')} must be at least 1, not {getattr(arguments, name)}")
    options = {"lockstep_every": arguments.lockstep_every}
    if arguments.array:
        options["array"] = arguments.array
    if arguments.sixteen_bit is not None:
        options["sixteen_bit"] = arguments.sixteen_bit
    if arguments.resume:
        directory = arguments.resume
        if arguments.out:
            raise ValueError("--resume goes on in its own folder: leave --out away")
        changed = [name for name in vars(hyper_parameters(arguments, {})) if getattr(arguments, name) is not None]
        if changed:
            raise ValueError(f"--resume goes on with the run's own {', '.join(changed)}: leave the option away")
        agent = DDPG.load(
            directory / CHECKPOINT, arguments.env, backend=arguments.backend, hardware=arguments.config, **options
        )
    else:
        if not arguments.env:
            raise ValueError("--env is needed: a Gymnasium environment with continuous actions, as Pendulum-v1")
        hardware = arguments.config or "small"
        config = hyper_parameters(arguments, resolve_training(hardware, arguments.env))
        backend = arguments.backend or "reference"
        directory = arguments.out or Path("runs") / f"{arguments.env}-{backend.split(':')[0]}-{config.seed}"
        if (directory / CHECKPOINT).exists():
            raise ValueError(f"{directory} holds a run already: --resume {directory} goes on with it")
        agent = DDPG(arguments.env, config, hardware=hardware, backend=backend, **options)
    try:
        summary = TrainingRun(
            agent,
            directory,
            arguments.steps,
            evaluate_every=arguments.evaluate_every,
            evaluation_episodes=arguments.evaluation_episodes,
            checkpoint_every=arguments.checkpoint_every,
            progress=not arguments.quiet,
        ).run()
    finally:
        agent.close()
    print_summary(summary, directory)


def print_summary(summary: dict, directory: Path) -> None:
    """What a run came to, for people."""
    rows = [
        ("environment", f"{summary['env']}, {summary['steps']} steps, seed {summary['seed']}"),
        ("return", f"{summary['return']:.1f} (random actions: {summary['random_return']:.1f})"),
    ]
    if summary["steps_per_second"]:
        rows.append(("speed", f"{summary['steps_per_second']:.1f} steps/s on backend {summary['backend']}"))
    counters = summary["counters"]
    if "train_cycles" in counters:
        cycles = counters["train_cycles"] / counters["train_steps"]
        rows.append(
            ("training step", f"{cycles:.0f} cycles, mean of {counters['train_steps']}, {counters['cycles_from']}")
        )
    if "utilization" in counters:
        shares = counters["utilization"].items()
        rows.append(("utilisation", ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares)))
    saturations = {name: count for name, count in counters.items() if name.endswith("saturations")}
    if saturations:
        words = [f"{name.removesuffix('_saturations')} {count}" for name, count in saturations.items()]
        rows.append(("saturations", ", ".join(words)))
        overflows = counters["gradient_saturations"] + counters["weight_saturations"]
        rows.append(("overflows", f"{overflows} (gradients and weights that were clamped)"))
    if "lockstep_steps" in counters:
        compared, equal = counters["lockstep_compared"], counters["lockstep_equal"]
        rows.append(("lockstep", f"{counters['lockstep_steps']} training steps on the RTL, too"))
        rows.append(("", f"{compared} words compared, {equal} equal"))
    rows.append(("files", str(directory)))
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")
