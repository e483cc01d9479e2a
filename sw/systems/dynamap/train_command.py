"""Policy that plays an Atari game from pixels, trained by imitation of a rule (data aggregation)."""

import argparse
from pathlib import Path

from ..options import add_hyper_parameters, add_run_options, given_hyper_parameters, print_result, result_rows
from ..training import TrainingPlan, folder_name, train

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from ...algorithms.imitation.dagger_config import DaggerConfig

    parser.add_argument("--env", help="Atari game that has a rule to imitate, e.g. ALE/Breakout-v5")
    parser.add_argument(
        "--backend",
        help="where the policy plays when it is evaluated: torch (float32, the default); in 8 bits reference (NumPy), "
        "rtl (Verilated), lockstep (both, compared), or a device, e.g. uart:/dev/ttyUSB0. It learns in PyTorch",
    )
    add_run_options(parser, "step", 20_000, evaluate_every=5_000)
    add_hyper_parameters(parser, DaggerConfig)


def run(arguments: argparse.Namespace) -> None:
    from ...algorithms.imitation.dagger_config import DaggerConfig
    from ...core.backends import parse_backend
    from .agent import HOST, Dagger

    given = given_hyper_parameters(arguments, DaggerConfig)
    if arguments.backend:
        parse_backend(arguments.backend, HOST)

    def resume(checkpoint: Path) -> Dagger:
        return Dagger.load(checkpoint, arguments.env, backend=arguments.backend)

    def begin() -> TrainingPlan:
        if not arguments.env:
            raise ValueError("--env is needed: a game of the ALE, such as ALE/Breakout-v5")
        config, backend = DaggerConfig.from_mapping(given), arguments.backend or "torch"
        name = arguments.env.translate(str.maketrans(":/", "--"))
        return TrainingPlan(
            make=lambda: Dagger(arguments.env, config, backend=backend),
            name=folder_name(name, "dagger", preset=None, backend=backend, seed=config.seed),
            about={"env": arguments.env, "backend": backend, "config": config.to_mapping()},
        )

    result = train("dynamap", arguments, given, resume, begin)
    if result is not None:
        summary, directory = result
        rows = result_rows(summary)
        if summary["rule_return"] is not None:
            rows.append(("rule", f"return {summary['rule_return']:.1f}"))
        print_result(arguments, summary, rows, directory)
