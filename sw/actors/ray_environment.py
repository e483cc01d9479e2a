"""An agent's environment on Ray, which may be on another machine."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import ray

from .agent_environment import Arrival, EnvironmentState
from .environment_server import EnvironmentServer, ServerFailure
from .ray_worker import RayWorker, remote_class

__all__ = ["RayEnvironment"]


class RayEnvironment:
    """A :class:`.HostedEnvironment` of a :class:`.RayWorker`.

    Parameters
    ----------
    limit
        Seconds that a state may take.
    """

    def __init__(self, limit: float):
        self._worker = RayWorker(_remote_server, limit)
        self._answer: Any = None

    @property
    def process_id(self) -> int | None:
        """On its machine; ``None``: it does not run."""
        return self._worker.process_id

    def start(self, arguments: tuple[Any, ...], state: EnvironmentState | None) -> None:
        """Let it begin, or go on from a state, if it does not run."""
        self._worker.start(arguments, state)

    def ask(self, action: int | None) -> None:
        """Ask for a step, or for an episode to begin."""
        self._answer = self._worker.actor.do.remote(action)

    @staticmethod
    def ready(some: "Sequence[RayEnvironment]", seconds: float) -> "list[RayEnvironment]":
        """Wait so long until some have answered or died; which."""
        answers = {one._answer: one for one in some}
        # The first that is ready ends the wait, which returns it alone: the second wait finds the others.
        ray.wait(list(answers), timeout=seconds)
        found, _ = ray.wait(list(answers), num_returns=len(answers), timeout=0)
        return [answers[answer] for answer in found]

    def receive(self) -> Any:
        """The process's message; ``None`` if it is dead, or says nothing."""
        answer = self._worker.answer(self._answer, 0)
        if not isinstance(answer, Arrival):
            return answer
        # Arrays in Ray's object store are read-only; an arrival's is its owner's, wherever it comes from.
        return dataclasses.replace(answer, observation=answer.observation.copy())

    def state(self) -> EnvironmentState | ServerFailure | None:
        """The state of one that was asked nothing; ``None``: it is dead, or takes too long."""
        return self._worker.answer(self._worker.actor.state.remote())

    def stop(self) -> str:
        """End it, whatever it does; how it ended."""
        self._answer = None
        return self._worker.stop()


_remote_server = remote_class(EnvironmentServer)
