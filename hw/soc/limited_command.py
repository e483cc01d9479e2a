"""Commands of other programs, none of which runs without a limit, or longer than who waits for it."""

import contextlib
import logging
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, TypeVar

__all__ = ["CommandTimeout", "run_all", "run_limited", "termination_raised"]

logger = logging.getLogger(__name__)

_Result = TypeVar("_Result")


class CommandTimeout(RuntimeError):
    """A command ran longer than its limit; it and all that it had started were ended."""


class _Command(subprocess.Popen[str]):
    """A command with all that it starts."""

    def kill(self) -> None:
        """End it and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


class _Group:
    """Commands that end together."""

    def __init__(self) -> None:
        self.running: set[_Command] = set()
        self.ended = False

    def end(self) -> None:
        """End those that run, and each that begins from now on."""
        self.ended = True
        for process in list(self.running):
            process.kill()


class _Thread(threading.local):
    """The group of commands that a thread runs."""

    group: _Group | None = None


_this_thread = _Thread()


def run_limited(
    command: Sequence[str], limit_seconds: float, *, what: str = "", **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; what it says is text, in ``stdout`` and ``stderr`` of the result.

    Parameters
    ----------
    command : sequence of str
    limit_seconds : float
    what : str
        What it does, for the error.
    **options
        Options of :class:`subprocess.Popen`.

    Raises
    ------
    CommandTimeout
        It ran longer than the limit.
    """
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    group, started = _this_thread.group or _Group(), time.monotonic()
    # In a session of its own, so that the compilers which make has started end with it.
    with termination_raised(), _Command(command, text=True, start_new_session=True, **options) as process:
        group.running.add(process)
        try:
            if group.ended:
                process.kill()
            stdout, stderr = process.communicate(timeout=limit_seconds)
        except BaseException as error:
            process.kill()
            if isinstance(error, subprocess.TimeoutExpired):
                doing = f" to {what}" if what else ""
                name = Path(command[0]).name
                raise CommandTimeout(f"{name} ran longer than its limit of {limit_seconds:g} s{doing}") from None
            raise
        finally:
            group.running.discard(process)
    said, seconds = f"{stdout or ''}{stderr or ''}".rstrip(), time.monotonic() - started
    logger.debug("%s\nexit status %d after %.1f s\n%s", shlex.join(command), process.returncode, seconds, said)
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


def run_all(jobs: int, calls: Sequence[Callable[[], _Result]]) -> list[_Result]:
    """Make all calls, so many at a time, each in a thread; the results in the order of the calls.

    The first error, or an interrupt, begins no other call and ends the commands that :func:`run_limited` runs for those
    under way, which are waited for.
    """
    group = _Group()

    def enter() -> None:
        _this_thread.group = group

    with ThreadPoolExecutor(jobs, initializer=enter) as pool:
        under_way = [pool.submit(call) for call in calls]
        try:
            for one in as_completed(under_way):
                one.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            group.end()
            raise
    return [one.result() for one in under_way]


@contextlib.contextmanager
def termination_raised() -> Iterator[None]:
    """Within it a polite end of this process (SIGTERM, SIGHUP) raises `SystemExit`, with 128 and its number as code.

    It would else end this process alone, and a command that it runs would go on for hours. In another thread than the
    main one, or where a signal is handled or ignored already, nothing changes.
    """
    handled = []
    if threading.current_thread() is threading.main_thread():
        ends = (signal.SIGTERM, signal.SIGHUP)
        handled = [number for number in ends if signal.getsignal(number) is signal.SIG_DFL]
    for number in handled:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: Any) -> None:
    raise SystemExit(128 + number)
