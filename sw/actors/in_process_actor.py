"""An actor in the learner's process: for one core, and for a debugger that is to see both."""

import contextlib
import copy
import os
import traceback
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from .actor import Actor, ActorSettings, State, actor_failure
from .weights_buffer import WeightsBuffer

__all__ = ["InProcessActor"]


class InProcessActor:
    """A :class:`.HostedActor` in this process. It makes a round when somebody waits for it.

    Nobody publishes weights between a round's release and the wait for the next one, so its rounds are those of an
    actor in a process of its own. It takes the environment's time from the learner, and an environment that never
    returns, or ends its process, is not started again.

    Parameters
    ----------
    number
        Number of the actor.
    settings
        Settings of all actors.
    weights
        Where they come from.
    limit
        Seconds that reading the weights may take; a round may take as long as it does.
    """

    def __init__(self, number: int, settings: ActorSettings, weights: WeightsBuffer, limit: float):
        # A policy of its own, as in a process: the learner's may remember what it did.
        own = copy.deepcopy(settings.policy)
        self._number, self._settings, self._weights, self._limit = number, replace(settings, policy=own), weights, limit
        self._actor: Actor | None = None
        self._records: np.ndarray | None = None
        self._failed = False

    @property
    def process_id(self) -> int | None:
        """This process; ``None``: it does not run."""
        return None if self._actor is None else os.getpid()

    def start(self, seed: tuple[int, ...], state: State | None) -> None:
        """Let it begin, or go on from a state, if it does not run.

        Raises
        ------
        ActorError
            Its environments cannot be made.
        """
        if self._actor is not None or self._failed:
            return
        with self._telling():
            self._actor = Actor(self._settings, seed, state)

    def arrived(self) -> bool:
        """Make the round, if it is not there: ``False`` after an error.

        Raises
        ------
        ActorError
            The environment's or the policy's own error.
        """
        if self._records is None and self._actor is not None:
            with self._telling():
                self._records = self._actor.round(*self._weights.read(self._limit))
        return self._records is not None

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """Raise an error of the environment or the policy as an actor's, which then waits to be started again."""
        try:
            yield
        except Exception as error:
            self.close()
            self._failed = True
            raise actor_failure(self._number, f"{type(error).__name__}: {error}", traceback.format_exc()) from error

    def records(self) -> np.ndarray:
        """Experience records of the round that arrived."""
        assert self._records is not None
        return self._records

    def release(self) -> None:
        """Let it make the next round."""
        self._records = None

    def put(self, records: np.ndarray) -> None:
        """A round that it has made before it starts."""
        self._records = records

    def state(self) -> State | None:
        """State of an actor whose round arrived; ``None``: it failed."""
        return None if self._actor is None else self._actor.state()

    def stop(self) -> str:
        """End it, and drop its round; how it ended."""
        self.close()
        self._failed = False
        return "an error"

    def close(self) -> None:
        """End it for good."""
        if self._actor is not None:
            self._actor.close()
        self._actor = self._records = None
