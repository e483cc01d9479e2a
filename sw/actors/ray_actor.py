"""An actor on Ray, which may be on another machine; experience and weights go through Ray's object store."""

import logging
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import ray

from .actor import Actor, ActorSettings, State, actor_failure

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
            Of the shapes of the first weights.
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
    """As :class:`.HostedActor` has it. Ray places it on any machine of the cluster that has a core for it.

    The cluster is the one that this process is connected to; else that of ``RAY_ADDRESS`` or of this machine, or one
    that is made here (``ray.init``). Its machines need this package.

    Parameters
    ----------
    number
        Of the actor.
    settings
        Of all actors.
    weights
        Where they come from.
    limit
        Seconds that a round may take.
    """

    def __init__(self, number: int, settings: ActorSettings, weights: RayWeights, limit: float):
        self._number, self._settings, self._weights, self._limit = number, settings, weights, limit
        self._actor: Any = None
        self._round: Any = None
        self._records: np.ndarray | None = None
        self._end = "it did not begin"

    @property
    def process_id(self) -> int | None:
        """On its machine; ``None``: it does not run."""
        return None if self._actor is None else self._answer(self._actor.process_id.remote())

    def start(self, seed: tuple[int, ...], state: State | None) -> None:
        """Let it begin, or go on from a state, if it does not run."""
        if self._actor is not None:
            return
        if not ray.is_initialized():
            ray.init(include_dashboard=False, logging_level=logging.WARNING)
        self._actor = _remote_actor.remote(self._settings, seed, state)
        if self._records is None:
            self._begin_round()

    def _begin_round(self) -> None:
        self._round = self._actor.round.remote(self._weights.reference)

    def arrived(self) -> bool:
        """Whether the round came, before the actor's end or its limit."""
        if self._records is None:
            self._records = self._answer(self._round)
        return self._records is not None

    def records(self) -> np.ndarray:
        """Of the round that arrived."""
        assert self._records is not None
        return self._records

    def release(self) -> None:
        """Let it make the next round."""
        if self._records is not None:
            self._records = None
            if self._actor is not None:
                self._begin_round()

    def put(self, records: np.ndarray) -> None:
        """A round that it has made before it starts."""
        self._records = records

    def state(self) -> State | None:
        """Of an actor whose round arrived; ``None``: it died."""
        return self._answer(self._actor.state.remote())

    def _answer(self, reference: ray.ObjectRef) -> Any:
        """What the actor says; ``None`` if it died, or takes too long."""
        try:
            return ray.get(reference, timeout=self._limit)
        except ray.exceptions.GetTimeoutError:
            cores = ray.cluster_resources().get("CPU", 0), ray.available_resources().get("CPU", 0)
            self._end = "no answer; of {:g} cores of Ray's cluster {:g} are free".format(*cores)
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            raise actor_failure(self._number, f"{type(cause).__name__}: {cause}", str(error)) from None
        except ray.exceptions.RayError as error:
            self._end = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        return None

    def stop(self) -> str:
        """End it, and drop its round; how it ended."""
        if self._actor is not None:
            ray.kill(self._actor)
        self._actor = self._round = self._records = None
        return self._end

    def close(self) -> None:
        """End it for good."""
        self.stop()


class _RemoteActor:
    """What Ray runs: its errors come back with what is asked, so those of its beginning with the first round."""

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


# Ray starts none again by itself, nor any round of one: the pool has to know what was lost.
_remote_actor: Any = ray.remote(num_cpus=1, scheduling_strategy="SPREAD", max_restarts=0, max_task_retries=0)(
    _RemoteActor
)
