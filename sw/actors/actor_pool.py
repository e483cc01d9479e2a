"""Actors that may die without an experience getting lost or counted twice."""

import contextlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

import gymnasium
import numpy as np

from ...hw.cores.checks import require_integer, require_name
from ..core.checkpoint import prefixed, under
from ..core.environments.environment import Environment
from .actor import ActorError, ActorSettings, State, experience_record
from .in_process_actor import InProcessActor
from .places import IN_PROCESS, PLACES, PROCESSES, on_ray
from .policy import Policy
from .process_actor import ProcessActor
from .weights_buffer import WeightsBuffer

__all__ = ["ActorError", "ActorPool", "HostedActor", "Round"]

logger = logging.getLogger(__name__)

# An actor that ended so often without a round is given up.
ATTEMPTS = 3


@dataclass(frozen=True)
class Round:
    """Steps in every environment.

    Parameters
    ----------
    records : numpy.ndarray
        As `experience_record` has them: of the first step by actor and environment, then of the second.
    lost : tuple of int
        Numbers of the environments, counted over all actors, whose episodes were lost since the round before: their
        actors ended. The records are of episodes that began anew.
    """

    records: np.ndarray
    lost: tuple[int, ...]


class HostedActor(Protocol):
    """An actor as the pool sees it, wherever it runs; it makes a round whenever the one before is released."""

    @property
    def process_id(self) -> int | None:
        """``None``: it does not run."""
        ...

    def start(self, seed: tuple[int, ...], state: State | None) -> None:
        """Let it begin, or go on from a state, if it does not run."""
        ...

    def arrived(self) -> bool:
        """Wait for the round under way: whether it came, before the actor's end or its limit."""
        ...

    def records(self) -> np.ndarray:
        """Experience records of the round that arrived."""
        ...

    def release(self) -> None:
        """Let it make the next round."""
        ...

    def put(self, records: np.ndarray) -> None:
        """A round that it has made before it starts."""
        ...

    def state(self) -> State | None:
        """State of an actor whose round arrived; ``None``: it died."""
        ...

    def stop(self) -> str:
        """End it, and drop its round; how it ended."""
        ...

    def close(self) -> None:
        """End it for good."""
        ...


class ActorPool:
    """Gathers experience in rounds: as many steps in each environment of each actor.

    An actor makes a round when the one before is released, with the weights that are published at that time. So
    who publishes between `round` and `release` alone decides with which weights each round is made: what comes out
    depends on the seed, not on who is faster or where actors run, while the next round is made during the work on this
    one.

    An actor that died, or took too long, is started again, with other seeds. The round that it had made is dropped.

    Parameters
    ----------
    environment : str or Callable
        Identifier of a registered environment, or a function of a module that makes one.
    kind : type of Environment
        Which actions it takes.
    policy : Policy
        How actions are chosen; pickled.
    weights : sequence of numpy.ndarray
        Weights that the policy gets, float32, before the learner has published others.
    actors, environments, steps : int
        Processes, environments of each, and steps in each of those in a round.
    seed : int
        Seed of everything random.
    limit : float
        Seconds that a round may take, the start of its process included; an actor in this process has no limit.
    actors_on : str
        ``"processes"`` of this machine; ``"in-process"``: this process; or ``"ray"``: a cluster of machines
        (:class:`.RayWorker`).

    Members
    -------
    environments : int
        Environments of all actors together.
    size : int
        Experiences of a round.
    weights : WeightsBuffer or RayWeights
        Where the learner publishes.
    record : numpy.dtype
        Record of an experience.
    restarts : int
        Actors that were started again.

    Raises
    ------
    TypeError, ValueError
        A parameter out of its range; an environment of another kind; no Ray.
    """

    weights: Any

    def __init__(
        self,
        environment: str | Callable[[], gymnasium.Env],
        kind: type[Environment],
        policy: Policy,
        weights: Sequence[np.ndarray],
        *,
        actors: int = 1,
        environments: int = 8,
        steps: int = 1,
        seed: int = 0,
        limit: float = 60.0,
        actors_on: str = PROCESSES,
    ):
        require_integer("Number of actors", actors, 1)
        require_integer("Number of environments", environments, 1)
        require_integer("Number of steps", steps, 1)
        if not limit > 0:
            raise ValueError(f"Limit must be above 0 seconds, not {limit}")
        self._each, self._steps, self._seed, self._limit = environments, steps, seed, limit
        self.environments, self.size = actors * environments, actors * environments * steps
        example = kind(environment if isinstance(environment, str) else environment(), 0)
        self.record = experience_record(example)
        self._names = self.record.names or ()
        example.env.close()
        self.restarts = 0
        self._lost: set[int] = set()
        self._closed = False
        settings = ActorSettings(
            environment=environment, kind=kind, environments=environments, steps=steps, policy=policy,
            record=self.record,
        )  # fmt: skip
        hosted, kept = _where(actors_on)
        self._actors: list[_Actor] = []
        with contextlib.ExitStack() as opened:
            self.weights = kept(weights)
            opened.callback(self.close)
            for number in range(actors):
                self._actors.append(_Actor(number, hosted(number, settings, self.weights, limit)))
            opened.pop_all()

    @property
    def process_ids(self) -> list[int]:
        """Process ids of the running actors, each on its machine."""
        numbers = [actor.hosted.process_id for actor in self._actors]
        return [number for number in numbers if number is not None]

    def round(self) -> Round:
        """The round that is under way, once it is there; the same one until it is released.

        Raises
        ------
        RuntimeError
            The pool is closed.
        ActorError
            An environment raised an error, or all attempts at a round ended.
        """
        if self._closed:
            raise RuntimeError("The pool of actors is closed")
        for actor in self._actors:
            self._start(actor)
        for actor in self._actors:
            self._complete(actor)
        found = np.stack([actor.hosted.records() for actor in self._actors])
        records = found.reshape(-1, self._steps, self._each).swapaxes(0, 1).reshape(-1)
        return Round(records, tuple(sorted(self._lost)))

    def release(self) -> None:
        """Let the actors make the next round."""
        self._lost.clear()
        for actor in self._actors:
            actor.hosted.release()

    def _start(self, actor: "_Actor") -> None:
        state, actor.state = actor.state, None
        actor.hosted.start((self._seed, actor.number, actor.life), state)

    def _complete(self, actor: "_Actor") -> None:
        """Wait until the actor's round is there, through as many lives as it may have."""
        for _ in range(ATTEMPTS):
            if actor.hosted.arrived():
                return
            end = self._start_again(actor)
        raise ActorError(
            f"Actor {actor.number} was given up: {ATTEMPTS} processes ended, or took more than {self._limit:g} "
            f"seconds, without a round ({end})"
        )

    def _start_again(self, actor: "_Actor") -> str:
        end = actor.hosted.stop()
        logger.warning("Actor %d is started again: %s", actor.number, end)
        actor.life += 1
        self.restarts += 1
        first = actor.number * self._each
        self._lost.update(range(first, first + self._each))
        self._start(actor)
        return end

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The round under way and all episodes, as arrays and plain numbers: from them it goes on identically.

        Raises
        ------
        RuntimeError, ActorError
            As of `round`.
        """
        states = self._states()
        records = self.round().records
        arrays = {f"records/{name}": records[name] for name in self._names}
        about = []
        for actor, (environments, generator) in zip(self._actors, states, strict=True):
            rests = []
            for number, (own, rest) in enumerate(environments):
                arrays |= prefixed(f"{actor.number}/{number}", own)
                rests.append(rest)
            about.append({"life": actor.life, "environments": rests, "generator": generator})
        return arrays, {"actors": about, "lost": sorted(self._lost), "restarts": self.restarts}

    def _states(self) -> list[State]:
        """The state of each actor after the round under way, which all have made."""
        while True:
            self.round()
            states = [state for actor in self._actors if (state := self._ask(actor)) is not None]
            if len(states) == len(self._actors):
                return states

    def _ask(self, actor: "_Actor") -> State | None:
        """An actor's state; ``None`` if it died, and was started again."""
        state = actor.hosted.state()
        if state is None:
            self._start_again(actor)
        return state

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Take back what `state` gave, before the first round.

        Raises
        ------
        RuntimeError
            Actors run already.
        ValueError
            It is of another number of actors or environments.
        """
        if self.process_ids:
            raise RuntimeError("Actors run already: a state is restored before the first round")
        found = [len(about["environments"]) for about in rest["actors"]]
        if found != [self._each] * len(self._actors):
            raise ValueError(f"There must be {len(self._actors)} actors with {self._each} environments, not {found}")
        records = np.zeros(self.size, self.record)
        for name in self._names:
            records[name] = arrays[f"records/{name}"]
        records = records.reshape(self._steps, -1, self._each).swapaxes(0, 1)
        for actor, about in zip(self._actors, rest["actors"], strict=True):
            actor.hosted.put(records[actor.number].reshape(-1))
            environments = [
                (under(f"{actor.number}/{number}", arrays), own) for number, own in enumerate(about["environments"])
            ]
            actor.life, actor.state = about["life"], (environments, about["generator"])
        self._lost, self.restarts = set(rest["lost"]), rest["restarts"]

    def close(self) -> None:
        """End all actors; what is in their queues is gone."""
        if not self._closed:
            self._closed = True
            for actor in self._actors:
                actor.hosted.close()
            self.weights.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass
class _Actor:
    """An actor as the pool knows it: ``life`` counts how often it was started again."""

    number: int
    hosted: HostedActor
    life: int = 0
    state: State | None = None


def _where(actors_on: str) -> tuple[Callable[..., HostedActor], Callable[[Sequence[np.ndarray]], Any]]:
    """Actors, and where weights are kept for them."""
    require_name("Actors", actors_on, PLACES)
    if actors_on == IN_PROCESS:
        return InProcessActor, WeightsBuffer
    if not on_ray("Actors", actors_on):
        return ProcessActor, WeightsBuffer
    from .ray_actor import RayActor, RayWeights

    return RayActor, RayWeights
