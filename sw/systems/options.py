"""Options of runs, the same for every system, and what a run prints at its end."""

import argparse
import dataclasses
import functools
import importlib
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..core.fields import read_yaml, require_names
from ..core.tables import aligned
from .parameter_help import parameter_help
from .results import add_json_option, add_out_option, show

__all__ = [
    "add_hyper_parameters",
    "add_import_option",
    "add_output_options",
    "add_run_options",
    "add_threads_option",
    "evaluator_callable",
    "given_hyper_parameters",
    "hyper_parameter_options",
    "import_modules",
    "lockstep_rows",
    "print_result",
    "refuse_counts_below",
    "result_rows",
    "sizes",
]


def add_run_options(
    parser: argparse.ArgumentParser, unit: str, until: int, evaluate_every: int = 0, statistics_every: int = 100
) -> None:
    """Options of a run in a folder: how long, where, how often it evaluates and saves, who gets its records.

    Parameters
    ----------
    parser
        Parser of the command.
    unit
        Unit that is counted, such as ``step``.
    until, evaluate_every, statistics_every
        Defaults.
    """
    many = f"{unit.upper()}S"
    parser.set_defaults(
        unit=unit,
        default_until=until,
        default_evaluate_every=evaluate_every,
        default_statistics_every=statistics_every,
    )
    parser.add_argument(
        f"--{unit}s",
        dest="until",
        type=int,
        metavar="COUNT",
        help=f"{unit}s in all (default {until}; with --resume as the run was started)",
    )
    add_out_option(parser, "checkpoint, metrics and plots (default: one in runs)")
    parser.add_argument("--resume", type=Path, metavar="DIR", help="resume the run in DIR, bit-identically")
    parser.add_argument(
        "--evaluate-every",
        type=int,
        metavar=many,
        help=f"evaluate so often; 0: at the end only (default {evaluate_every})",
    )
    parser.add_argument(
        "--evaluation-episodes", type=int, metavar="COUNT", help="episodes of an evaluation (default 10)"
    )
    parser.add_argument(
        "--evaluation-seed",
        "--eval-seed",
        type=int,
        metavar="N",
        help="seed of the starting states of evaluations, like --seed of rewardware eval (default: the same states "
        "each time)",
    )
    parser.add_argument(
        "--checkpoint-every", type=int, metavar=many, help=f"{unit}s between checkpoints (default 0: by time alone)"
    )
    parser.add_argument(
        "--checkpoint-seconds",
        type=float,
        metavar="SECONDS",
        help="time between checkpoints (default 60; 0: by count alone); the last is at the end",
    )
    parser.add_argument(
        "--statistics-every",
        type=int,
        metavar=many,
        help=f"record losses, values and speed so often (default {statistics_every}; 0: never)",
    )
    add_threads_option(parser)
    add_output_options(parser)
    add_import_option(parser)
    parser.add_argument(
        "--hyper", type=Path, metavar="FILE", help="YAML or JSON file of hyper-parameters; options go before it"
    )
    parser.add_argument(
        "--print-config", action="store_true", help="print what would be trained, as YAML, and train nothing"
    )


def add_threads_option(parser: argparse.ArgumentParser) -> None:
    """The option of every command that simulates the RTL."""
    parser.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads of a simulator of the RTL (default 1; more help only large designs, on as many idle cores)",
    )


def add_import_option(parser: argparse.ArgumentParser) -> None:
    """The option that lets a checkpoint's environment be one of a module."""
    parser.add_argument(
        "--import",
        dest="imports",
        action="append",
        default=[],
        metavar="MODULE",
        help="import a module that registers the run's environment; loading a checkpoint imports none by itself",
    )


def evaluator_callable(source: str, refused: str) -> Any:
    """The evaluator of a name ``MODULE:NAME``, or what makes one; the current folder is searched for modules as well.

    Parameters
    ----------
    source
        The name.
    refused
        Text about a name of another form, before the name itself.

    Raises
    ------
    ValueError
        The name has another form; there is nothing of that name; it cannot be called.
    """
    module, colon, name = source.partition(":")
    if not colon or not module or not name:
        raise ValueError(f"{refused}, not {source!r}")
    if "" not in sys.path:
        sys.path.append("")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"There is no evaluator {source!r}: {error}") from error
    if not callable(found):
        raise ValueError(f"Evaluator {source!r} must be callable, not {type(found).__name__}")
    return found


def import_modules(arguments: argparse.Namespace) -> None:
    """Import the modules of ``--import``, also from the working folder.

    Raises
    ------
    ValueError
        There is none of that name, or it cannot be imported.
    """
    if arguments.imports and "" not in sys.path:
        sys.path.append("")
    for name in arguments.imports:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise ValueError(f"Module {name!r} cannot be imported: {error}") from error


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Options of who is told what."""
    parser.add_argument(
        "--log",
        action="append",
        default=[],
        metavar="LOGGER",
        help="send records to tensorboard or wandb, which must be installed; may be repeated",
    )
    add_json_option(parser)


def add_hyper_parameters(
    parser: argparse.ArgumentParser, *configurations: type, choices: Mapping[str, Iterable[str]] | None = None
) -> None:
    """An option for each field of dataclasses; those not given come from elsewhere.

    Parameters
    ----------
    parser
        Parser of the command.
    *configurations
        The dataclasses; a field of several is one option. Their docstrings are the help.
    choices
        Choices of fields that are words.
    """
    group = parser.add_argument_group(
        "hyper-parameters",
        "Values that suit the environment or that the configuration names take precedence over these defaults.",
    )
    known = {field.name: field for configuration in configurations for field in dataclasses.fields(configuration)}
    for field in known.values():
        option, kinds = _option(field.name), _kinds(field.type)
        owner = next(kind for kind in configurations if hasattr(kind, field.name))
        about = f"{parameter_help(owner, field.name)} ({_defaults(field.name, configurations)})".replace("%", "%%")
        if any(typing.get_origin(kind) is tuple for kind in kinds):
            group.add_argument(option, type=sizes, metavar="A,B,...", help=about)
        elif bool in kinds:
            group.add_argument(option, action=argparse.BooleanOptionalAction, help=about)
        elif str in kinds:
            group.add_argument(option, choices=tuple((choices or {})[field.name]), help=about)
        else:
            whole = int in kinds
            group.add_argument(option, type=int if whole else float, metavar="N" if whole else "X", help=about)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")


def hyper_parameter_options(configuration: type) -> list[str]:
    """The options that `add_hyper_parameters` adds, by their long names."""
    found = []
    for field in dataclasses.fields(configuration):
        found.append(_option(field.name))
        if bool in _kinds(field.type):
            found.append(_option(f"no_{field.name}"))
    return found


def _defaults(name: str, configurations: Iterable[type]) -> str:
    """Defaults of a hyper-parameter, by algorithm if they do not agree; algorithms without it are left out."""
    found: dict[str, list[str]] = {}
    own = [configuration for configuration in configurations if hasattr(configuration, name)]
    for configuration in own:
        value = getattr(configuration, name)
        words = ",".join(map(str, value)) if isinstance(value, tuple) else "none" if value is None else str(value)
        found.setdefault(words, []).append(getattr(configuration, "algorithm", ""))
    shared = len(own) == len(tuple(configurations))
    if shared and len(found) == 1:
        return f"default {next(iter(found))}"
    return "default " + ", ".join(f"{words} ({' and '.join(names)})" for words, names in found.items())


def _kinds(annotation: Any) -> tuple[Any, ...]:
    return typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)


def sizes(text: str) -> tuple[int, ...]:
    """Numbers of neurons, as an option gives them."""
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of whole numbers, such as 400,300") from None


def given_hyper_parameters(arguments: argparse.Namespace, *configurations: type) -> dict[str, Any]:
    """Hyper-parameters of the file of ``--hyper``, overridden by those of the command line.

    Raises
    ------
    ValueError
        The file is no mapping of hyper-parameters.
    """
    names = {field.name: None for configuration in configurations for field in dataclasses.fields(configuration)}
    told = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    # JSON is also YAML.
    given = {} if arguments.hyper is None else read_yaml(arguments.hyper, functools.partial(_hyper, names))
    return {**given, **told}


def _hyper(names: Iterable[str], found: Any) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise ValueError(f"There must be a mapping of hyper-parameters, not {type(found).__name__}")
    require_names("hyper-parameter", found, names)
    return {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}


def refuse_counts_below(least: int, arguments: argparse.Namespace, *names: str) -> None:
    """Numbers of things that there must be so many of at least; an option that was not given is left out."""
    for name in names:
        value = getattr(arguments, name)
        if value is not None and value < least:
            raise ValueError(f"--{name.replace('_', '-')} must be at least {least}, not {value}")


def result_rows(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """Results of an agent that learns step by step, for people."""
    # A run whose metrics were lost has none.
    random = "" if summary["random_return"] is None else f" (random actions: {summary['random_return']:.1f})"
    rows = [
        ("environment", f"{summary['env']}, {summary['steps']} steps, seed {summary['seed']}"),
        ("return", f"{summary['return']:.1f}{random}"),
    ]
    if summary["steps_per_second"]:
        rows.append(("speed", f"{summary['steps_per_second']:.1f} steps/s on backend {summary['backend']}"))
    return rows


def lockstep_rows(counters: dict[str, Any], done: str, compared: str, prefix: str = "") -> list[tuple[str, str]]:
    """Rows with the outcome of lockstep, where there was one."""
    if f"{prefix}lockstep_steps" not in counters:
        return []
    steps, total, equal = (counters[f"{prefix}lockstep_{name}"] for name in ("steps", "compared", "equal"))
    return [("lockstep", f"{steps} {done} the RTL as well"), ("", f"{total} {compared} compared, {equal} equal")]


def print_result(
    arguments: argparse.Namespace, summary: dict[str, Any], rows: Iterable[tuple[str, str]], directory: Path
) -> None:
    """The summary as JSON where that was asked for, else rows for people and the folder."""
    content = {**summary, "files": str(directory)}
    show(arguments, content, lambda: "\n".join(aligned([*rows, ("files", str(directory))], left=(0, 1))))
