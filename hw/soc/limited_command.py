"""Commands of other programs, none of which runs without a limit."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["CommandTimeout", "run_limited"]


class CommandTimeout(RuntimeError):
    """A command ran longer than its limit; it and all that it had started were ended."""


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
        Of :class:`subprocess.Popen`.

    Raises
    ------
    CommandTimeout
        It ran longer than the limit.
    """
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    # In a session of its own, so that the compilers which make has started end with it.
    with subprocess.Popen(command, text=True, start_new_session=True, **options) as process:
        try:
            stdout, stderr = process.communicate(timeout=limit_seconds)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                doing = f" to {what}" if what else ""
                name = Path(command[0]).name
                raise CommandTimeout(f"{name} ran longer than its limit of {limit_seconds:g} s{doing}") from None
            raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)
