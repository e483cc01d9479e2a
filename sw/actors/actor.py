"""An actor: it gathers experience in environments of its own, a round at a time."""

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np

from ..core.environments.environment import Environment
from .policy import Policy

__all__ = ["Actor", "ActorError", "ActorSettings", "State", "actor_failure", "experience_record"]

State = tuple[list[tuple[dict[str, np.ndarray], dict[str, Any]]], dict[str, Any]]


class ActorError(RuntimeError):
    """An actor cannot go on: the environment's own error, or all its processes ended."""


def actor_failure(number: int, what: str, details: str) -> ActorError:
    """The error of an actor that has failed with one of its own.

    Parameters
    ----------
    number
        Number of the actor.
    what
        The kind of the error and its words.
    details
        Its traceback, which stays behind in the actor's process.
    """
    error = ActorError(f"Actor {number} failed with {what}")
    error.add_note(details)
    return error


def experience_record(environment: Environment) -> np.dtype:
    """The record of a step: the experience, and at the end of an episode its return and length."""
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
    """Settings that all actors have in common.

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
    record
        Record of an experience, as `experience_record` has it.
    """

    environment: str | Callable[[], gymnasium.Env]
    kind: type[Environment]
    environments: int
    steps: int
    policy: Policy
    record: np.dtype

    @property
    def size(self) -> int:
        """Experiences of an actor's round."""
        return self.environments * self.steps


class Actor:
    """Environments, and what is random in them.

    Parameters
    ----------
    settings
        Environments and policy.
    seed
        Seed of everything random; never the same for two actors, or for one that was started again.
    state
        State of an actor that goes on; ``None``: it begins.
    """

    def __init__(self, settings: ActorSettings, seed: tuple[int, ...], state: State | None):
        self._settings = settings
        seeds = np.random.SeedSequence(seed).generate_state(settings.environments + 1).tolist()
        given = settings.environment
        self._environments: list[Environment] = []
        with contextlib.ExitStack() as opened:
            opened.callback(self.close)
            for number in seeds[1:]:
                self._environments.append(settings.kind(given if isinstance(given, str) else given(), number))
            opened.pop_all()
        self._generator = np.random.default_rng(seeds[0])
        if state is not None:
            for environment, (arrays, rest) in zip(self._environments, state[0], strict=True):
                environment.restore(arrays, rest)
            self._generator.bit_generator.state = state[1]

    def state(self) -> State:
        """The episodes under way, and the generator."""
        return [environment.state() for environment in self._environments], dict(self._generator.bit_generator.state)

    def close(self) -> None:
        """Let go of the environments."""
        for environment in self._environments:
            environment.env.close()

    def round(self, step: int, weights: Sequence[np.ndarray]) -> np.ndarray:
        """Steps in each environment: records, step by step.

        Parameters
        ----------
        step, weights
            What the policy gets: environment steps taken so far, and the learner's weights.
        """
        records = np.zeros((self._settings.steps, len(self._environments)), self._settings.record)
        for row in records:
            observations = np.array([environment.observation for environment in self._environments])
            actions = self._settings.policy(weights, observations, step, self._generator)
            row["observation"], row["action"] = observations, actions
            for record, environment, action in zip(row, self._environments, actions, strict=True):
                _step(record, environment, action)
        return records.reshape(-1)


def _step(record: Any, environment: Environment, action: np.ndarray) -> None:
    observation, reward, terminated, truncated = environment.step(action)
    if observation.shape != record["next_observation"].shape:
        raise ValueError(
            f"An observation of shape {observation.shape} does not go into the queue's record, which has room for "
            f"one of {record['next_observation'].shape}"
        )
    record["reward"], record["next_observation"], record["terminated"] = reward, observation, terminated
    if terminated or truncated:
        record["ends"] = True
        record["return"], record["length"] = environment.episode_return, environment.episode_length
        environment.begin()
