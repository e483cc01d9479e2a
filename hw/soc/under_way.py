"""Messages that long work is under way: to the log, or on a terminal with the seconds that it has taken."""

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Iterator
from typing import TextIO

__all__ = ["PROGRESS", "telling", "under_way"]

# Between information and warnings: what somebody who waits wants to know.
PROGRESS = 25
logging.addLevelName(PROGRESS, "PROGRESS")

TICK_SECONDS = 1.0

logger = logging.getLogger(__name__)


class _Teller:
    """Whether anybody is told, and of what at the moment.

    Members
    -------
    on : bool
        A program wants the seconds on its terminal; others find a line in the log.
    busy : bool
        Something is under way: what happens within it is not told.
    """

    def __init__(self) -> None:
        self.on = self.busy = False


_teller = _Teller()


@contextlib.contextmanager
def telling() -> Iterator[None]:
    """Within it :func:`under_way` counts seconds on standard error, if that is a terminal."""
    before, _teller.on = _teller.on, True
    try:
        yield
    finally:
        _teller.on = before


@contextlib.contextmanager
def under_way(what: str) -> Iterator[None]:
    """Say what is under way within it, as "compiling the simulator of fixar"."""
    if _teller.busy:
        yield
        return
    _teller.busy, stream, started = True, sys.stderr, time.monotonic()
    try:
        if _teller.on and stream.isatty():
            with _elapsing(stream, what):
                yield
        else:
            logger.log(PROGRESS, "%s ...", what)
            yield
        logger.info("%s took %.1f s", what, time.monotonic() - started)
    finally:
        _teller.busy = False


@contextlib.contextmanager
def _elapsing(stream: TextIO, what: str) -> Iterator[None]:
    """A line on a terminal that counts the seconds."""
    started, ended = time.monotonic(), threading.Event()

    def say(end: str = "") -> None:
        stream.write(f"\rrewardware: {what} ... {time.monotonic() - started:.0f} s{end}")
        stream.flush()

    def tick() -> None:
        while not ended.wait(TICK_SECONDS):
            say()

    say()
    thread = threading.Thread(target=tick, name="elapsed time", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        say("\n")
