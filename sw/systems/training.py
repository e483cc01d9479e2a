"""From the options of `rewardware train` to a run: one plan, made once."""

import argparse
import dataclasses
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ...hw.cores.checks import require_name
from .agents import run_to_resume
from .options import import_modules, refuse_counts_below
from .results import show

__all__ = ["TrainingPlan", "folder_name", "train"]

DEFAULTS: dict[str, Any] = {
    "evaluation_episodes": 10,
    "evaluation_seed": None,
    "checkpoint_every": 0,
    "checkpoint_seconds": 60.0,
}


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """A training run as the options describe it: nothing below reads an option again.

    Parameters
    ----------
    make
        The agent, of the settings below or of a checkpoint.
    name
        Name of the run's folder: :func:`folder_name`.
    about
        Description before it is made: ``env``, ``backend``, ``config``, ``hardware`` and the like, plain data.
    """

    make: Callable[[], Any]
    name: str = ""
    about: dict[str, Any] = field(default_factory=dict)


def folder_name(*of: str, preset: str | None, backend: str, seed: int) -> str:
    """A run's folder among the runs, if no other is given.

    Parameters
    ----------
    of
        Parts of the name: what is trained, and with what.
    preset
        Preset of the hardware, or its file, where the user gave one.
    backend
    seed
    """
    return "-".join((*of, *([Path(preset).stem] if preset else []), backend.partition(":")[0], str(seed)))


def train(
    system: str,
    arguments: argparse.Namespace,
    given: Iterable[str],
    resume: Callable[[Path], Any],
    begin: Callable[[], TrainingPlan],
) -> tuple[dict[str, Any], Path] | None:
    """Trains an agent that begins or goes on, as the options of `add_run_options` say.

    Parameters
    ----------
    system
        System that runs, by its name under ``train``.
    arguments
        Arguments of the command.
    given
        Names of the options that say what is trained: a run that goes on has its own.
    resume
        The agent of a checkpoint.
    begin
        The plan of a new one.

    Returns
    -------
    The summary and the folder; ``None`` if the plan was only to be printed.

    Raises
    ------
    ValueError
        Options that contradict each other.
    """
    # Here and not above: --help needs none of it.
    from ..core.loggers import LOGGERS
    from ..core.run import Run
    from ..core.run_folder import CHECKPOINT
    from ..core.threads import limited_threads

    refuse_counts_below(0, arguments, "evaluate_every", "checkpoint_every", "checkpoint_seconds", "statistics_every")
    refuse_counts_below(0, arguments, "evaluation_seed")
    refuse_counts_below(1, arguments, "evaluation_episodes")
    if arguments.until is not None and arguments.until < 1:
        raise ValueError(f"--{arguments.unit}s must be at least 1, not {arguments.until}")
    if arguments.resume:
        directory, plan = arguments.resume, _plan_of(system, arguments, list(given), resume)
    else:
        plan = begin()
        directory = arguments.out or Path("runs") / plan.name
        if (directory / CHECKPOINT).exists():
            raise ValueError(
                f"{directory} holds a run already: --resume {directory} goes on with it, "
                "--out puts another one elsewhere"
            )
    import_modules(arguments)
    settings = _settings(arguments, directory)
    for name in arguments.log:
        require_name("Logger", name, LOGGERS)
    if arguments.print_config:
        chosen = {"system": system, **plan.about, **settings}
        show(arguments, chosen, lambda: yaml.safe_dump(chosen, sort_keys=False).rstrip())
        return None
    agent = plan.make()
    try:
        run = Run(agent, directory, **settings, log=arguments.log, progress=not arguments.quiet)
        with limited_threads(agent.suited_threads):
            return run.run(), directory
    finally:
        agent.close()


def _plan_of(
    system: str, arguments: argparse.Namespace, given: list[str], resume: Callable[[Path], Any]
) -> TrainingPlan:
    if arguments.out:
        raise ValueError("--resume goes on in its own folder: omit --out")
    if given:
        raise ValueError(f"--resume goes on with the run's own {', '.join(given)}: omit the option")
    checkpoint = run_to_resume(system, arguments.resume, arguments.env)
    return TrainingPlan(make=lambda: resume(checkpoint), about={"resume": str(arguments.resume)})


def _settings(arguments: argparse.Namespace, directory: Path) -> dict[str, Any]:
    """How long and how often: of the options, else of the run that goes on, else the defaults."""
    from ..core.run import KEPT
    from ..core.run_folder import SETTINGS

    of_system = {
        "until": arguments.default_until,
        "evaluate_every": arguments.default_evaluate_every,
        "statistics_every": arguments.default_statistics_every,
    }
    path = directory / SETTINGS
    kept = json.loads(path.read_text()) if arguments.resume and path.is_file() else {}
    told = {name: getattr(arguments, name) for name in KEPT if getattr(arguments, name) is not None}
    return {**of_system, **DEFAULTS, **{name: kept[name] for name in KEPT if name in kept}, **told}


def plain(hardware: Any) -> Any:
    """A configuration as YAML has it."""
    return None if hardware is None else json.loads(json.dumps(dataclasses.asdict(hardware)))
