"""The server of an agent's environment in its process, wherever that runs."""

import os
import traceback
from dataclasses import dataclass
from typing import Any

from ..core.environments.failure import EnvironmentFailure
from .agent_environment import AgentEnvironment, Arrival, EnvironmentState

__all__ = ["EnvironmentServer", "ServerFailure"]


@dataclass(frozen=True)
class ServerFailure:
    """An error in words: the traceback stays in the process.

    Parameters
    ----------
    of_environment
        Whether a step or the beginning of an episode raised it; else the environment cannot be made.
    words
        Kind, place and words of the error.
    """

    of_environment: bool
    words: str


class EnvironmentServer:
    """An :class:`.AgentEnvironment` whose errors are answers.

    Parameters
    ----------
    arguments
        Arguments of :class:`.AgentEnvironment`.
    state
        What it goes on from; ``None``: it is new.
    """

    def __init__(self, arguments: tuple[Any, ...], state: EnvironmentState | None):
        self._failure: ServerFailure | None = None
        try:
            self._environment = AgentEnvironment(*arguments)
            if state is not None:
                self._environment.restore(*state)
        except Exception as error:
            self._failure = ServerFailure(False, _words(error))

    def do(self, action: int | None) -> Arrival | ServerFailure:
        """Take a step, or begin an episode if the action is ``None``."""
        if self._failure is not None:
            return self._failure
        try:
            return self._environment.do(action)
        except EnvironmentFailure as error:
            # The environment's error is its cause, except for a number that is not finite.
            return ServerFailure(True, _words(error.__cause__) if error.__cause__ else str(error))

    def state(self) -> EnvironmentState | ServerFailure:
        """The state of the environment."""
        return self._environment.state() if self._failure is None else self._failure

    def process_id(self) -> int:
        """The process's number on its machine."""
        return os.getpid()


def _words(error: BaseException) -> str:
    """Kind, place and words of an error."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {place.filename}:{place.lineno}: {error}"
