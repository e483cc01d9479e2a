"""DDPG on FIXAR, its reference, both in lockstep, or PyTorch."""

import argparse
from pathlib import Path
from typing import Any

from ..options import (
    add_hyper_parameters,
    add_run_options,
    given_hyper_parameters,
    lockstep_rows,
    print_result,
    refuse_counts_below,
    result_rows,
)
from ..training import TrainingPlan, folder_name, plain, train

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...algorithms.ddpg_config import DDPGConfig

    parser.add_argument("--env", help="Gymnasium environment with continuous actions, e.g. Pendulum-v1")
    parser.add_argument(
        "--backend",
        help="reference (bit-exact NumPy, the default), rtl (Verilated), lockstep (both, compared), "
        "torch (float32), or a device, e.g. uart:/dev/ttyUSB0",
    )
    parser.add_argument("--config", help="preset, or path of a YAML file (default small)")
    parser.add_argument("--lockstep-every", type=int, default=100, metavar="K", help="compare every K-th training step")
    parser.add_argument("--array", choices=("numpy", "cupy"), help="what the reference computes with (default numpy)")
    parser.add_argument(
        "--sixteen-bit",
        type=int,
        metavar="FRACTION",
        help="16-bit words from the start, weights with so many fraction bits: the case that fails (reference only)",
    )
    add_run_options(parser, "step", 10_000, evaluate_every=1000)
    add_hyper_parameters(parser, DDPGConfig)


def run(arguments: argparse.Namespace) -> None:
    from ...algorithms.ddpg_config import DDPGConfig
    from ...core.hardware import resolve_hardware
    from .agent import FixarDDPG
    from .defaults import resolve_training

    refuse_counts_below(1, arguments, "lockstep_every")
    options: dict[str, Any] = {"lockstep_every": arguments.lockstep_every}
    if arguments.array:
        options["array"] = arguments.array
    if arguments.sixteen_bit is not None:
        options["sixteen_bit"] = arguments.sixteen_bit
    given = given_hyper_parameters(arguments, DDPGConfig)

    def resume(checkpoint: Path) -> FixarDDPG:
        return FixarDDPG.load(
            checkpoint, arguments.env, backend=arguments.backend, hardware=arguments.config, **options
        )

    def begin() -> TrainingPlan:
        if not arguments.env:
            raise ValueError("--env is needed: a Gymnasium environment with continuous actions, such as Pendulum-v1")
        backend, chosen = arguments.backend or "reference", arguments.config or "small"
        config = DDPGConfig.from_mapping({**resolve_training(chosen, arguments.env), **given})
        hardware = None if backend == "torch" else resolve_hardware(chosen)
        return TrainingPlan(
            make=lambda: FixarDDPG(arguments.env, config, hardware=hardware or chosen, backend=backend, **options),
            name=folder_name(arguments.env, preset=arguments.config, backend=backend, seed=config.seed),
            about={
                "env": arguments.env,
                "backend": backend,
                "config": config.to_mapping(),
                "hardware": plain(hardware),
            },
        )

    result = train("fixar", arguments, given, resume, begin)
    if result is not None:
        summary, directory = result
        print_result(arguments, summary, _rows(summary), directory)


def _rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Results of a run, for people."""
    rows = result_rows(summary)
    counters = summary["counters"]
    if "train_cycles" in counters and counters["train_steps"]:
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
    return rows + lockstep_rows(counters, "training steps on", "words")
