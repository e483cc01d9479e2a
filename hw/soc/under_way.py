"""What takes long says that it is under way: a line on standard error, and on a terminal for how long."""

import contextlib
import sys
import threading
import time
from collections.abc import Iterator
from typing import TextIO

__all__ = ["telling", "under_way"]

TICK_SECONDS = 1.0


class _Teller:
    """Whether anybody is told, and of what at the moment.

    Members
    -------
    on : bool
        A program asked for it; libraries keep quiet.
    busy : bool
        Something is under way: what happens within it is not told.
    """

    def __init__(self) -> None:
        self.on = self.busy = False


_teller = _Teller()


@contextlib.contextmanager
def telling() -> Iterator[None]:
    """Within it :func:`under_way` writes; the command line is such a program."""
    before, _teller.on = _teller.on, True
    try:
        yield
    finally:
        _teller.on = before


@contextlib.contextmanager
def under_way(what: str) -> Iterator[None]:
    """Say what is under way within it, as "compiling the simulator of fixar"."""
    if not _teller.on or _teller.busy:
        yield
        return
    _teller.busy, stream = True, sys.stderr
    try:
        if stream.isatty():
            with _elapsing(stream, what):
                yield
        else:
            print(f"rewardware: {what} ...", file=stream, flush=True)
            yield
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
