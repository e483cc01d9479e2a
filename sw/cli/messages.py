"""Messages of the command line besides its results: the log of `rewardware`, on standard error, set up here alone."""

import argparse
import contextlib
import logging
import sys
from collections.abc import Iterator

from ...hw.soc.under_way import PROGRESS, telling

__all__ = ["add_message_options", "messages"]

ROOT = "rewardware"


def add_message_options(parser: argparse.ArgumentParser) -> None:
    """Options of who is told how much; at any place of a command, so that without them nothing is set."""
    group = parser.add_argument_group("messages, on standard error")
    options = (
        ("-v", "--verbose", "count", "print seeds, folders and builds; -vv: also what tools print"),
        ("-q", "--quiet", "store_true", "print warnings and errors alone, no progress"),
        ("--traceback", "store_true", "print the traceback of an error"),
    )
    for *names, action, about in options:
        group.add_argument(*names, action=action, default=argparse.SUPPRESS, help=about)


@contextlib.contextmanager
def messages(verbose: int = 0, quiet: bool = False) -> Iterator[None]:
    """Within it the log goes to standard error.

    Parameters
    ----------
    verbose : int
        0: what is under way, and above; 1: also information; 2 and more: everything, with time and place.
    quiet : bool
        Warnings and errors alone.

    Raises
    ------
    ValueError
        Both are given.
    """
    if verbose and quiet:
        raise ValueError("--verbose and --quiet contradict each other: omit one")
    logger, handler = logging.getLogger(ROOT), _StandardError()
    handler.setFormatter(_Format(detailed=verbose > 1))
    level, propagate = logger.level, logger.propagate
    logger.setLevel(logging.WARNING if quiet else (PROGRESS, logging.INFO, logging.DEBUG)[min(verbose, 2)])
    # Not twice, where a library that a command imports sets up the root.
    logger.propagate = False
    logger.addHandler(handler)
    # A line that counts seconds is one that nobody else writes into.
    seconds = contextlib.nullcontext() if quiet or verbose else telling()
    try:
        with seconds:
            yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagate
        logger.setLevel(level)


class _StandardError(logging.Handler):
    """Writes to standard error as it is at that time, above progress bars."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a message."""
        try:
            text = self.format(record)
            if "tqdm" in sys.modules:
                from tqdm import tqdm

                tqdm.write(text, file=sys.stderr)
            else:
                print(text, file=sys.stderr, flush=True)
        except Exception:
            self.handleError(record)


class _Format(logging.Formatter):
    """A message after the program's name, and if it is one, that it is a warning; in detail with time and place."""

    def __init__(self, detailed: bool):
        super().__init__()
        self._detailed = detailed

    def formatMessage(self, record: logging.LogRecord) -> str:
        """The first part of a message's text."""
        text = record.getMessage()
        if record.levelno >= logging.WARNING:
            text = f"{record.levelname.lower()}: {text}"
        if not self._detailed:
            return f"{ROOT}: {text}"
        return f"{ROOT}: {record.relativeCreated / 1000:.3f} s {record.name.removeprefix(f'{ROOT}.')}: {text}"
