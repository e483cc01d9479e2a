"""A process that works for this one, and may die without anybody waiting for it."""

import multiprocessing
import os
import signal
import socket
import struct
from collections.abc import Callable
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any

__all__ = ["WorkerProcess"]

CLOSE_SECONDS = 2.0
# Read when a process starts, by NumPy's library and by PyTorch.
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


class WorkerProcess:
    """A process, started afresh (``spawn``), and the link to it.

    Ctrl-C does not reach it: only the process that asked for the work answers it. It ends with this process. Its
    linear algebra has one thread: processes share the cores.

    Parameters
    ----------
    target : Callable
        Called there with its end of the link, then with ``arguments``; a function of a module.
    limit : float
        Seconds that a read or a write of the link may take, as when the process is suspended in mid-message.

    Members
    -------
    link : multiprocessing.connection.Connection
        This end.
    process : multiprocessing.Process or None
        ``None``: not started, or stopped.
    """

    def __init__(self, target: Callable[..., None], limit: float):
        self._target, self._limit = target, limit
        self.process: Any = None
        self.link: Any = None

    def start(self, *arguments: Any) -> None:
        """Start the process, if there is none, with arguments that can be pickled."""
        if self.process is not None:
            return
        context = multiprocessing.get_context("spawn")
        self.link, other = context.Pipe()
        _limit_seconds(self.link, self._limit)
        process: Any = context.Process(target=self._target, args=(other, *arguments), daemon=True)
        # Ctrl-C in a terminal goes to every process. Blocked here for a moment, it is blocked there from the first
        # instruction. Starting the tracker would unblock it.
        resource_tracker.ensure_running()
        old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        given = os.environ.copy()
        os.environ.update(dict.fromkeys(THREADS, "1"))
        try:
            process.start()
            self.process = process
        finally:
            for name in THREADS:
                os.environ.pop(name)
            os.environ.update(given)
            signal.pthread_sigmask(signal.SIG_SETMASK, old)
            # With ours closed, the end of the process is the end of the link.
            other.close()

    def stop(self) -> int | None:
        """End the process, whatever it does; its exit code, ``None`` if there was none."""
        process, self.process = self.process, None
        if process is None:
            return None
        self.link.close()
        process.terminate()
        process.join(CLOSE_SECONDS)
        if process.exitcode is None:
            process.kill()
            process.join(CLOSE_SECONDS)
        return process.exitcode


def _limit_seconds(link: Connection, limit: float) -> None:
    """Let no read and no write of a link wait longer."""
    with socket.socket(fileno=link.fileno()) as opened:
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            opened.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", int(limit), int(limit % 1 * 1e6)))
        # The descriptor stays the link's.
        opened.detach()
