"""Options of training runs, the same for every agent that learns step by step, and what a run prints at its end."""

import argparse
import dataclasses
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = [
    "add_hyper_parameters",
    "add_run_options",
    "given_hyper_parameters",
    "new_folder",
    "print_rows",
    "refuse_counts_below",
    "result_rows",
    "run_in_folder",
    "sizes",
]


def add_run_options(parser: argparse.ArgumentParser, steps: int) -> None:
    """Options of a run in a folder: how long, where, how often it evaluates and saves."""
    parser.add_argument("--steps", type=int, default=steps, help="environment steps in all (default %(default)s)")
    parser.add_argument(
        "-o", "--out", type=Path, metavar="DIR", help="folder for checkpoint, metrics and plots (default: one in runs)"
    )
    parser.add_argument("--resume", type=Path, metavar="DIR", help="go on with the run in DIR, bit-identically")
    parser.add_argument("--evaluate-every", type=int, default=1000, metavar="STEPS", help="0: only at the end")
    parser.add_argument("--evaluation-episodes", type=int, default=10, metavar="COUNT")
    parser.add_argument("--checkpoint-every", type=int, default=5000, metavar="STEPS", help="0: only at the end")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")


def add_hyper_parameters(
    parser: argparse.ArgumentParser, *configurations: type, choices: Mapping[str, Iterable[str]] | None = None
) -> None:
    """An option for each field of dataclasses; those not given come from elsewhere.

    Parameters
    ----------
    parser
        Of the command.
    *configurations
        The dataclasses; a field of several is one option.
    choices
        Of fields that are words.
    """
    group = parser.add_argument_group("hyper-parameters (defaults: those of the configuration)")
    known = {field.name: field for configuration in configurations for field in dataclasses.fields(configuration)}
    for field in known.values():
        option, kinds = "--" + field.name.replace("_", "-"), _kinds(field.type)
        if typing.get_origin(field.type) is tuple:
            group.add_argument(option, type=sizes, metavar="A,B,...")
        elif bool in kinds:
            group.add_argument(option, action=argparse.BooleanOptionalAction)
        elif str in kinds:
            group.add_argument(option, choices=tuple((choices or {})[field.name]))
        else:
            whole = int in kinds
            group.add_argument(option, type=int if whole else float, metavar="N" if whole else "X")


def _kinds(annotation: Any) -> tuple[Any, ...]:
    return typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)


def sizes(text: str) -> tuple[int, ...]:
    """Numbers of neurons, as an option gives them."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list of whole numbers, as 400,300") from None


def given_hyper_parameters(arguments: argparse.Namespace, *configurations: type) -> dict[str, Any]:
    """Those of the command line."""
    names = {field.name: None for configuration in configurations for field in dataclasses.fields(configuration)}
    return {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}


def refuse_counts_below(least: int, arguments: argparse.Namespace, *names: str) -> None:
    """Numbers of things that there must be so many of at least; an option that was not given is left out."""
    for name in names:
        value = getattr(arguments, name)
        if value is not None and value < least:
            raise ValueError(f"--{name.replace('_', '-')} must be at least {least}, not {value}")


def new_folder(arguments: argparse.Namespace, name: str) -> Path:
    """That of ``--out``, or one of this name among the runs.

    Raises
    ------
    ValueError
        There is a run in it.
    """
    from ..core.run_folder import CHECKPOINT

    directory = arguments.out or Path("runs") / name
    if (directory / CHECKPOINT).exists():
        raise ValueError(f"{directory} holds a run already: --resume {directory} goes on with it")
    return directory


def run_in_folder(
    system: str,
    arguments: argparse.Namespace,
    given: Iterable[str],
    resume: Callable[[Path], Any],
    begin: Callable[[], tuple[Any, Path]],
) -> tuple[dict[str, Any], Path]:
    """Trains an agent that begins or goes on, as the options of `add_run_options` say; its summary and its folder.

    Parameters
    ----------
    system
        Whose run it is.
    arguments
        Of the command.
    given
        Names of the hyper-parameters on the command line.
    resume
        The agent of a checkpoint.
    begin
        A new agent, and its folder, from `new_folder`.

    Raises
    ------
    ValueError
        Options that contradict each other.
    """
    from ..systems.agents import run_to_resume
    from ..systems.training_run import TrainingRun

    refuse_counts_below(0, arguments, "evaluate_every", "checkpoint_every")
    if arguments.resume:
        directory, changed = arguments.resume, list(given)
        if arguments.out:
            raise ValueError("--resume goes on in its own folder: leave --out away")
        if changed:
            raise ValueError(f"--resume goes on with the run's own {', '.join(changed)}: leave the option away")
        agent = resume(run_to_resume(system, directory, arguments.env))
    else:
        agent, directory = begin()
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
    return summary, directory


def result_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """What the run of any agent came to, for people."""
    # A run whose metrics were lost has none.
    random = "" if summary["random_return"] is None else f" (random actions: {summary['random_return']:.1f})"
    rows = [
        ("environment", f"{summary['env']}, {summary['steps']} steps, seed {summary['seed']}"),
        ("return", f"{summary['return']:.1f}{random}"),
    ]
    if summary["steps_per_second"]:
        rows.append(("speed", f"{summary['steps_per_second']:.1f} steps/s on backend {summary['backend']}"))
    return rows


def print_rows(rows: Iterable[tuple[str, str]]) -> None:
    """A line for each, the values below each other."""
    rows = list(rows)
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")
