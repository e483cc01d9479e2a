"""An actor on Ray, which may be on another machine; experience and weights go through Ray's object store."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import ray

from .actor import Actor, ActorSettings, State, actor_failure
from .ray_worker import RayWorker, remote_class

__all__ = ["RayActor", "RayWeights"]


class RayWeights:
    """The latest weights, for actors on Ray.

    Parameters
    ----------
    arrays : sequence of numpy.ndarray
        The first weights, float32.
    """

    def __init__(self, arrays: Sequence[np.ndarray]):
        self.publish(0, arrays)

    def publish(self, step: int, arrays: Sequence[np.ndarray]) -> None:
        """Make weights the latest.

        Parameters
        ----------
        step : int
            Environment steps taken so far.
        arrays : sequence of numpy.ndarray
            Arrays with the shapes of the first weights.
        """
        # A copy: the learner goes on changing them.
        self._latest = step, [np.array(array) for array in arrays]
        self._reference: ray.ObjectRef | None = None

    @property
    def reference(self) -> ray.ObjectRef:
        """The step and the weights in Ray's object store, from where each machine gets them once."""
        if self._reference is None:
            self._reference = ray.put(self._latest)
        return self._reference

    def close(self) -> None:
        """Let go of them."""
        self._reference = None


class RayActor:
    """A :class:`.HostedActor` of a :class:`.RayWorker`.

    Parameters
    ----------
    number
        Number of the actor.
    settings
        Settings of all actors.
    weights
        Where they come from.
    limit
        Seconds that a round may take.
    """

    def __init__(self, number: int, settings: ActorSettings, weights: RayWeights, limit: float):
        self._number, self._settings, self._weights = number, settings, weights
        self._worker = RayWorker(_remote_actor, limit)
        self._round: Any = None
        self._records: np.ndarray | None = None

    @property
    def process_id(self) -> int | None:
        """On its machine; ``None``: it does not run."""
        return self._worker.process_id

    def start(self, seed: tuple[int, ...], state: State | None) -> None:
        """Let it begin, or go on from a state, if it does not run."""
        if self._worker.actor is not None:
            return
        self._worker.start(self._settings, seed, state)
        if self._records is None:
            self._begin_round()

    def _begin_round(self) -> None:
        self._round = self._worker.actor.round.remote(self._weights.reference)

    def arrived(self) -> bool:
        """Whether the round came, before the actor's end or its limit."""
        if self._records is None:
            self._records = self._answer(self._round)
        return self._records is not None

    def records(self) -> np.ndarray:
        """Experience records of the round that arrived."""
        assert self._records is not None
        return self._records

    def release(self) -> None:
        """Let it make the next round."""
        if self._records is not None:
            self._records = None
            if self._worker.actor is not None:
                self._begin_round()

    def put(self, records: np.ndarray) -> None:
        """A round that it has made before it starts."""
        self._records = records

    def state(self) -> State | None:
        """State of an actor whose round arrived; ``None``: it died."""
        return self._answer(self._worker.actor.state.remote())

    def _answer(self, reference: ray.ObjectRef) -> Any:
        """The actor's answer; ``None`` if it died, or takes too long."""
        try:
            return self._worker.answer(reference)
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            raise actor_failure(self._number, f"{type(cause).__name__}: {cause}", str(error)) from None

    def stop(self) -> str:
        """End it, and drop its round; how it ended."""
        self._round = self._records = None
        return self._worker.stop()

    def close(self) -> None:
        """End it for good."""
        self.stop()


class _RemoteActor:
    """The actor as Ray runs it: errors come back with the answers, so those of its beginning with the first round."""

    def __init__(self, *arguments: Any):
        self._arguments = arguments
        self._begun: Actor | None = None

    @property
    def _actor(self) -> Actor:
        if self._begun is None:
            self._begun = Actor(*self._arguments)
        return self._begun

    def round(self, latest: tuple[int, Sequence[np.ndarray]]) -> np.ndarray:
        return self._actor.round(*latest)

    def state(self) -> State:
        return self._actor.state()

    def process_id(self) -> int:
        return os.getpid()


_remote_actor = remote_class(_RemoteActor)
