"""Commands of other programs, none of which runs without a limit."""

import contextlib
import logging
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

__all__ = ["CommandTimeout", "LimitedCommand", "log_command", "run_limited", "termination_raised"]

logger = logging.getLogger(__name__)


class CommandTimeout(RuntimeError):
    """A command ran longer than its limit; it and all that it had started were ended."""


class LimitedCommand(subprocess.Popen[str]):
    """A command with all that it starts."""

    def kill(self) -> None:
        """End it and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)


def run_limited(
    command: Sequence[str],
    limit_seconds: float,
    *,
    what: str = "",
    running: set["LimitedCommand"] | None = None,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; what it says is text, in ``stdout`` and ``stderr`` of the result.

    Parameters
    ----------
    command : sequence of str
    limit_seconds : float
    what : str
        What it does, for the error.
    running : set of LimitedCommand or None
        Holds the command while it runs, so that another thread can end it.
    **options
        Options of :class:`subprocess.Popen`.

    Raises
    ------
    CommandTimeout
        It ran longer than the limit.
    """
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    started = time.monotonic()
    # In a session of its own, so that the compilers which make has started end with it.
    with termination_raised(), LimitedCommand(command, text=True, start_new_session=True, **options) as process:
        if running is not None:
            running.add(process)
        try:
            stdout, stderr = process.communicate(timeout=limit_seconds)
        except BaseException as error:
            process.kill()
            if isinstance(error, subprocess.TimeoutExpired):
                doing = f" to {what}" if what else ""
                name = Path(command[0]).name
                raise CommandTimeout(f"{name} ran longer than its limit of {limit_seconds:g} s{doing}") from None
            raise
        finally:
            if running is not None:
                running.discard(process)
    log_command(command, process.returncode, time.monotonic() - started, f"{stdout or ''}{stderr or ''}")
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


@contextlib.contextmanager
def termination_raised() -> Iterator[None]:
    """Within it a polite termination of this process (SIGTERM) raises `SystemExit`, with exit code 143.

    It would else end this process alone, and a command that it runs would go on for hours. In another thread than the
    main one, or where somebody handles terminations already, nothing changes.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end(number: int, frame: Any) -> None:
    raise SystemExit(128 + number)


def log_command(command: Sequence[str], code: int, seconds: float, said: str) -> None:
    """Put a command that has ended into the log, with all that it said, for who debugs."""
    logger.debug("%s\nexit status %d after %.1f s\n%s", shlex.join(map(str, command)), code, seconds, said.rstrip())
