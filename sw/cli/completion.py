"""Print the script that completes commands and options in a shell."""

import argparse
import os
import shlex

from .lazy_parser import LazyParser

__all__ = ["add_arguments", "answer", "run"]

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="shell that the script is for")


def run(arguments: argparse.Namespace) -> None:
    from argcomplete import shellcode

    print(shellcode(["rewardware"], shell=arguments.shell).strip())


def answer(parser: LazyParser) -> None:
    """Tell a shell what may come next, which it asks through the environment, and end the program."""
    from argcomplete import autocomplete

    line = os.environ.get("COMP_LINE", "")[: int(os.environ.get("COMP_POINT", "0"))]
    try:
        words = shlex.split(line)
    except ValueError:
        # Within quotes.
        words = line.split()
    # The library looks at options that are there before it parses.
    parser.fill_for(words[1:])
    autocomplete(parser, always_complete_options=False)
