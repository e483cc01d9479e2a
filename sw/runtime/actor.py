"""An actor: a process that gathers experience in environments of its own, a round at a time."""

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import gymnasium
import numpy as np

from ..agents.environment import Environment
from .experience_ring import ExperienceRing
from .policies import Policy
from .weights_buffer import WeightsBuffer

__all__ = ["ActorSettings", "experience_record", "run_actor"]

# Between two looks at the queue.
PAUSE_SECONDS = 1e-4

State = tuple[list[tuple[dict[str, np.ndarray], dict[str, Any]]], dict[str, Any]]


def experience_record(environment: Environment) -> np.dtype:
    """What is kept of a step: the experience, and at the end of an episode its return and length."""
    action = environment.random_action(np.random.default_rng(0))
    observation = np.float32, (environment.observation_size,)
    return np.dtype(
        [
            ("observation", *observation),
            ("action", action.dtype, action.shape),
            ("reward", np.float32),
            ("next_observation", *observation),
            ("terminated", np.bool_),
            ("ends", np.bool_),
            ("return", np.float64),
            ("length", np.int64),
        ]
    )


@dataclass(frozen=True, kw_only=True)
class ActorSettings:
    """What all actors have in common, and the queue, which each has of its own.

    Parameters
    ----------
    environment
        Identifier of a registered environment, or a function of a module that makes one.
    kind
        Which actions it takes.
    environments
        How many each actor has.
    steps
        In each of them in a round.
    policy
        How actions are chosen.
    ring, weights
        Where experience goes to, and weights come from.
    limit
        Seconds that reading weights may take.
    """

    environment: str | Callable[[], gymnasium.Env]
    kind: type[Environment]
    environments: int
    steps: int
    policy: Policy
    ring: ExperienceRing
    weights: WeightsBuffer
    limit: float


class _Actor:
    def __init__(self, settings: ActorSettings, seed: tuple[int, ...], state: State | None):
        self._settings = settings
        seeds = np.random.SeedSequence(seed).generate_state(settings.environments + 1).tolist()
        given = settings.environment
        self._environments = [
            settings.kind(given if isinstance(given, str) else given(), number) for number in seeds[1:]
        ]
        self._generator = np.random.default_rng(seeds[0])
        if state is not None:
            for environment, (arrays, rest) in zip(self._environments, state[0], strict=True):
                environment.restore(arrays, rest)
            self._generator.bit_generator.state = state[1]

    def state(self) -> State:
        """The episodes under way, and the generator."""
        return [environment.state() for environment in self._environments], dict(self._generator.bit_generator.state)

    def round(self) -> np.ndarray:
        """Steps in each environment, with the latest weights: records, step by step."""
        step, weights = self._settings.weights.read(self._settings.limit)
        records = np.zeros((self._settings.steps, len(self._environments)), self._settings.ring.record)
        for row in records:
            observations = np.stack([environment.observation for environment in self._environments])
            actions = self._settings.policy(weights, observations, step, self._generator)
            for record, environment, action in zip(row, self._environments, actions, strict=True):
                _step(record, environment, action)
        return records.reshape(-1)


def _step(record: Any, environment: Environment, action: np.ndarray) -> None:
    record["observation"], record["action"] = environment.observation, action
    observation, reward, terminated, truncated = environment.step(action)
    if observation.shape != record["next_observation"].shape:
        raise ValueError(
            f"An observation of shape {observation.shape} does not go into the queue's record, which has room for "
            f"one of {record['next_observation'].shape}"
        )
    if not np.isfinite(reward):
        raise ValueError(f"Reward {environment.episode_length} of an episode is {reward}; rewards must be finite")
    record["reward"], record["next_observation"], record["terminated"] = reward, observation, terminated
    if terminated or truncated:
        record["ends"] = True
        record["return"], record["length"] = environment.episode_return, environment.episode_length
        environment.begin()


def run_actor(link: Connection, settings: ActorSettings, seed: tuple[int, ...], state: State | None) -> None:
    """What an actor's process does: whenever its queue is empty it makes a round, until the link ends.

    A message asks for its state; an error is sent as text, and is its last message.

    Parameters
    ----------
    link
        To the host.
    settings
        Environment, policy, queue and weights.
    seed
        Of everything random; never the same for two actors, or for one that was started again.
    state
        Of an actor that goes on; ``None``: it begins.
    """
    try:
        actor = _Actor(settings, seed, state)
        while True:
            while settings.ring.available:
                if not _serve(link, actor):
                    return
            settings.ring.put(actor.round())
    except Exception as error:
        _tell(link, f"{type(error).__name__}: {error}\n{traceback.format_exc()}")


def _serve(link: Connection, actor: _Actor) -> bool:
    """Wait a moment, for the host to ask; whether it is there still."""
    try:
        if link.poll():
            link.recv()
            link.send(actor.state())
        # Not as the poll's limit, which would be a whole millisecond.
        time.sleep(PAUSE_SECONDS)
        return True
    except (EOFError, OSError):
        return False


def _tell(link: Connection, text: str) -> None:
    """Send the last message, and wait until it was heard: the link's end."""
    try:
        link.send(text)
        link.recv()
    except (EOFError, OSError):
        pass
