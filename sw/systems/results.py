"""Results of commands: for people as text, for programs as one JSON object, and in a folder if one is named."""

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ...hw.soc.written_file import write_text, writing

__all__ = ["add_json_option", "add_out_option", "as_json", "make_folder", "show"]


def add_json_option(parser: argparse.ArgumentParser) -> None:
    """The option of every command that has results; what is printed then is one JSON object and nothing else."""
    parser.add_argument("--json", action="store_true", help="print the results as one JSON object")


def add_out_option(parser: argparse.ArgumentParser, what: str, **settings: Any) -> None:
    """The option that names where a command writes, the same of every command.

    Parameters
    ----------
    parser
        Parser of the command.
    what
        Goes there: the option's help.
    **settings
        Settings of the option, such as ``required``.
    """
    parser.add_argument("-o", "--out", type=Path, metavar="DIR", help=f"folder for {what}", **settings)


def make_folder(folder: Path | None) -> None:
    """Make the folder of ``--out``, if there is one: before hours of work, not after them.

    Raises
    ------
    WriteError
        It cannot be made.
    """
    if folder is not None:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)


def show(
    arguments: argparse.Namespace,
    content: Mapping[str, Any],
    text: Callable[[], str],
    file: str = "",
) -> None:
    """Print results, as JSON where ``--json`` was given.

    Parameters
    ----------
    arguments
        Arguments of the command. While it runs with ``--json``, standard output is for this alone: what libraries print
        goes to standard error, and ``arguments.results`` is where the object goes.
    content
        Plain data.
    text
        The same for people.
    file
        Name under which the JSON also goes into the folder of ``--out``, if there is one.
    """
    if arguments.json:
        print(as_json(content), file=getattr(arguments, "results", sys.stdout))
    elif said := text():
        print(said)
    if file and arguments.out is not None:
        write_text(arguments.out / file, as_json(content) + "\n")


def as_json(content: Mapping[str, Any]) -> str:
    """An object as every reader of JSON takes it: paths are texts, and what is infinite or no number is null."""
    return json.dumps(_plain(content), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return str(value) if isinstance(value, Path) else value
