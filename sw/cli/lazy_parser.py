"""Parsers that import what they are about when they are used, so that the command line starts at once."""

import argparse
import ast
import importlib
import importlib.util
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from ...hw.cores.checks import nearest
from .exit_codes import USAGE_ERROR
from .messages import add_message_options

__all__ = ["LazyParser", "first_line_of"]


def first_line_of(module: str) -> str:
    """First line of a module's docstring, read from its file: the module is not imported."""
    found = importlib.util.find_spec(module)
    if found is None or found.origin is None:
        raise ValueError(f"There is no module {module}")
    docstring = ast.get_docstring(ast.parse(Path(found.origin).read_text(encoding="utf-8"))) or module
    return docstring.splitlines()[0]


class DefaultsFormatter(argparse.HelpFormatter):
    """Says the default of every option that has one, unless its help does."""

    def add_argument(self, action: argparse.Action) -> None:
        """An argument without help says its default alone."""
        if action.help is None and _has_default(action):
            action.help = "default %(default)s"
        super().add_argument(action)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        text = action.help
        if not text or "default" in text or not _has_default(action):
            return text
        return f"{text} (default %(default)s)"


def _has_default(action: argparse.Action) -> bool:
    """Whether leaving an argument away gives a value: switches are off, and lists empty, without words."""
    return action.default not in (None, False, [], argparse.SUPPRESS)


class LazyParser(argparse.ArgumentParser):
    """Takes its arguments from a module, on first use; says what is wrong in one line, without the usage before it."""

    # What follows the command, for options that depend on each other.
    given: Sequence[str] = ()
    _module = ""
    _add_more: Callable[[argparse.ArgumentParser], None] | None = None

    def __init__(self, *arguments: Any, **settings: Any):
        super().__init__(*arguments, **{"formatter_class": DefaultsFormatter, **settings})

    def fill_with(self, module: str, add_more: Callable[[argparse.ArgumentParser], None] | None = None) -> None:
        """Name the module, which has ``add_arguments(parser)``; ``add_more`` comes behind."""
        self._module, self._add_more = module, add_more

    def _fill(self) -> None:
        name, self._module = self._module, ""
        if name:
            module = importlib.import_module(name)
            self.description = module.__doc__
            module.add_arguments(self)
            if self._add_more is not None:
                self._add_more(self)
            add_message_options(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Fill the parser, then parse."""
        self.given = list(args or ())
        self._fill()
        return super().parse_known_args(args, namespace)

    def format_help(self) -> str:
        """Fill the parser, then say what it takes."""
        self._fill()
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and what was meant, if a choice is near."""
        choice = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)$", message)
        if choice:
            message += nearest(choice[1], [name.strip("' ") for name in choice[2].split(",")])
        self.exit(USAGE_ERROR, f"{self.prog}: error: {message}\n")
        raise AssertionError("exit does not return")
