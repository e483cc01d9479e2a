"""Parsers that import what they are about when they are used, so that the command line starts at once."""

import argparse
import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
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
    """Whether omitting an argument gives a value: switches are off, and lists empty, without words."""
    return action.default not in (None, False, [], argparse.SUPPRESS)


class LazyParser(argparse.ArgumentParser):
    """Takes its arguments from a module, on first use; says what is wrong in one line, without the usage before it."""

    # Words after the command, for options that depend on each other.
    given: Sequence[str] = ()
    # Options that the parser has in other circumstances, and in which: "of ddpg and sac, not of dqn".
    elsewhere: Mapping[str, str] = MappingProxyType({})
    # Parsers of the same command for other systems, by name.
    beside: Mapping[str, "LazyParser"] = MappingProxyType({})
    _module = ""
    _add_more: Callable[[argparse.ArgumentParser], None] | None = None

    def __init__(self, *arguments: Any, **settings: Any):
        super().__init__(*arguments, **{"formatter_class": DefaultsFormatter, **settings})

    def fill_with(self, module: str, add_more: Callable[[argparse.ArgumentParser], None] | None = None) -> None:
        """Name the module, which has ``add_arguments(parser)``; ``add_more`` comes after."""
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
        self.given = list(sys.argv[1:] if args is None else args)
        self._fill()
        self._refuse_unknown(self.given)
        return super().parse_known_args(args, namespace)

    def fill_for(self, words: Sequence[str]) -> None:
        """Fill this parser and those below it that the words of a command line lead to."""
        self.given = list(words)
        self._fill()
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                names = [number for number, word in enumerate(words) if word in action.choices]
                if names:
                    action.choices[words[names[0]]].fill_for(words[names[0] + 1 :])

    def _refuse_unknown(self, given: Sequence[str]) -> None:
        """End the program if an option is none: before others are missed, and with what was meant."""
        if {"-h", "--help"} & set(given):
            return
        unknown = []
        for argument in given:
            name = argument.partition("=")[0]
            if argument == "--" or not argument.startswith("-") and self._subparsers is not None:
                # The words after it are for the command below.
                break
            if name.startswith("--") and " " not in argument and not self._knows(name):
                unknown.append(name + self._hint(name))
        if unknown:
            self.error(f"unrecognized arguments: {'; '.join(unknown)}")

    def _knows(self, name: str) -> bool:
        """Whether there is such an option; argparse takes the beginning of one for it."""
        return any(option.startswith(name) for option in self._option_string_actions)

    def _hint(self, name: str) -> str:
        """Where an option is one, or which one was meant."""
        if name in self.elsewhere:
            return f" is an option {self.elsewhere[name]}"
        for other in self.beside.values():
            other._fill()
            if name in other._option_string_actions or name in other.elsewhere:
                return f" is an option of {other.prog}"
        options = [*self._option_string_actions, *self.elsewhere]
        # Without what all of them begin with, or any two would be near.
        return nearest(name[2:], [option[2:] for option in options if option.startswith("--")]).replace("'", "'--", 1)

    def format_help(self) -> str:
        """Fill the parser, then format its help."""
        self._fill()
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong in one line, and what was meant, if a choice is near."""
        choice = re.search(r"invalid choice: '(.*)' \(choose from (.*)\)$", message)
        if choice:
            message += nearest(choice[1], [name.strip("' ") for name in choice[2].split(",")])
        self.exit(USAGE_ERROR, f"{self.prog}: error: {message}\n")
        raise AssertionError("exit does not return")
