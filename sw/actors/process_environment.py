"""An agent's environment in a process of this machine, which is asked and answers over a link."""

from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from ..core.worker_process import WorkerProcess
from .agent_environment import EnvironmentState
from .environment_server import EnvironmentServer, ServerFailure

__all__ = ["ProcessEnvironment"]


class ProcessEnvironment:
    """A :class:`.HostedEnvironment` in a process of this machine.

    Parameters
    ----------
    limit
        Seconds that a state may take.
    """

    def __init__(self, limit: float):
        self._limit = limit
        self._worker = WorkerProcess(_serve, limit)

    @property
    def process_id(self) -> int | None:
        """``None``: it does not run."""
        return None if self._worker.process is None else self._worker.process.pid

    def start(self, arguments: tuple[Any, ...], state: EnvironmentState | None) -> None:
        """Let it begin, or go on from a state, if it does not run."""
        self._worker.start(arguments, state)

    def ask(self, action: int | None) -> None:
        """Ask for a step, or for an episode to begin."""
        self._send("do", action)

    def _send(self, *message: Any) -> None:
        try:
            self._worker.link.send(message)
        except OSError:
            # Whoever listens sees the end of a dead process's link as well.
            pass

    @staticmethod
    def ready(some: "Sequence[ProcessEnvironment]", seconds: float) -> "list[ProcessEnvironment]":
        """Wait so long until some have answered or died; which."""
        links: dict[Any, ProcessEnvironment] = {one._worker.link: one for one in some}
        return [links[link] for link in wait(list(links), seconds)]

    def receive(self, seconds: float = 0.0) -> Any:
        """The process's message; ``None`` if it is dead, or says nothing for so many seconds."""
        try:
            return self._worker.link.recv() if self._worker.link.poll(seconds) else None
        except (EOFError, OSError):
            return None

    def state(self) -> EnvironmentState | ServerFailure | None:
        """The state of one that was asked nothing; ``None``: it is dead, or takes too long."""
        self._send("state")
        return self.receive(self._limit)

    def stop(self) -> str:
        """End it, whatever it does; how it ended."""
        return f"last exit code {self._worker.stop()}"


def _serve(link: Connection, arguments: tuple[Any, ...], state: EnvironmentState | None) -> None:
    """Answer the host from the environment's process, until the link ends."""
    server = EnvironmentServer(arguments, state)
    try:
        while True:
            name, *values = link.recv()
            link.send(getattr(server, name)(*values))
    except (EOFError, OSError):
        pass
