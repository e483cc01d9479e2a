"""A Tcl interpreter in which the commands of a vendor's tool are stubs that record every call; others are errors."""

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path

__all__ = ["Call", "Command", "Interpreter", "ScriptError"]

# Tcl's own commands that reach out of a script, which none has to.
_OUTSIDE = ("exec", "exit", "load", "open", "socket", "unknown")


class ScriptError(Exception):
    """A script ended with an error of its own, or called what the tool does not have."""


@dataclasses.dataclass(frozen=True)
class Call:
    """One call of a tool's command.

    Parameters
    ----------
    name : str
    words : tuple of str
        What stands after the command but options.
    options : Mapping
        Value by option; of a flag, an empty one.
    """

    name: str
    words: tuple[str, ...]
    options: Mapping[str, str]


@dataclasses.dataclass(frozen=True)
class Command:
    """A command as its tool's documentation describes it.

    Parameters
    ----------
    words : range
        How many may stand after the command but options.
    flags, options : str
        Names without the dash, with a space between: those without and those with a value.
    run : callable or None
        From the call to what the command returns.
    """

    words: range
    flags: str = ""
    options: str = ""
    run: Callable[[Call], str] | None = None

    def parse(self, name, words):
        """The call; refuses what the command does not take."""
        flags, options = self.flags.split(), self.options.split()
        positional, given, rest = [], {}, list(words)
        while rest:
            word = rest.pop(0)
            option = word.removeprefix("-")
            if word.startswith("-") and option in flags:
                given[option] = ""
            elif word.startswith("-") and option in options:
                if not rest:
                    raise ScriptError(f"{name}: option {word} has no value")
                given[option] = rest.pop(0)
            elif word.startswith("-") and (flags or options):
                raise ScriptError(f"{name} has no option {word}")
            else:
                positional.append(word)
        if len(positional) not in self.words:
            raise ScriptError(f"{name} takes {self.words}, not {len(positional)} words: {positional}")
        return Call(name, tuple(positional), given)


class Interpreter:
    """Runs scripts.

    Parameters
    ----------
    commands : Mapping of str to Command
    """

    def __init__(self, commands):
        try:
            import tkinter
        except ImportError as error:
            raise RuntimeError(
                "Scripts for vendors' tools are tested in the Tcl of Python's tkinter, which this Python lacks: "
                "install it (Debian: apt-get install python3-tk)"
            ) from error
        self.calls: list[Call] = []
        self._error: Exception | None = None
        self._tcl = tkinter.Tcl()
        self._tcl_error = tkinter.TclError
        for name in _OUTSIDE:
            self._tcl.eval(f"if {{[llength [info commands {name}]]}} {{rename {name} {{}}}}")
        for name, command in commands.items():
            self._tcl.eval(f"namespace eval ::{'::'.join(name.split('::')[:-1])} {{}}")
            self._tcl.createcommand(name, self._stub(name, command))

    def _stub(self, name, command):
        def run(*words):
            try:
                call = command.parse(name, [str(word) for word in words])
                self.calls.append(call)
                return command.run(call) or "" if command.run else ""
            except Exception as error:
                self._error = error
                raise

        return run

    def run(self, script: Path, *arguments: str, variable: str = "argv"):
        """Run a script as the tool does.

        Raises
        ------
        ScriptError
            The text is the script's own where it ends itself.
        """
        self._error = None
        self._tcl.eval(f"set {variable} [list {' '.join(f'{{{argument}}}' for argument in arguments)}]")
        try:
            self._tcl.eval(f"source {{{script}}}")
        except self._tcl_error as error:
            raise ScriptError(str(self._error or error)) from self._error

    def evaluate(self, text):
        """Evaluate a text as Tcl."""
        return str(self._tcl.eval(text))

    def provide(self, package, version):
        """Make a script find a package."""
        self._tcl.eval(f"package provide {package} {version}")

    def words(self, text):
        """The words of a list of Tcl."""
        return [str(word) for word in self._tcl.splitlist(text)]

    def pairs(self, text):
        """A list of Tcl of names and values, by name."""
        words = self.words(text)
        return dict(zip(words[::2], words[1::2], strict=True))

    def called(self, name):
        """The calls of a command."""
        return [call for call in self.calls if call.name == name]
