"""An environment that one agent has for itself, and what comes from it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import gymnasium
import numpy as np

from ..core.environments.environment import Environment
from ..core.environments.failure import EnvironmentFailure

__all__ = ["AgentEnvironment", "AgentEnvironments", "Arrival", "EnvironmentState"]

EnvironmentState = tuple[dict[str, np.ndarray], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """The result of an environment's step, or of its beginning.

    Parameters
    ----------
    agent
        Agent that it belongs to.
    observation
        After the step, or the first of an episode; float32.
    reward
        Reward of the step; ``None``: an episode has begun.
    terminated, truncated
        Whether the episode ended, or was cut off. Nothing follows one that ended, whatever else.
    episode_return, episode_length
        Return and length of the episode so far.
    lost
        How many environments of the agent were lost since the arrival before, as when their processes ended. The
        episode under way then was lost with the first, and another one has begun.
    """

    agent: int
    observation: np.ndarray
    reward: float | None = None
    terminated: bool = False
    truncated: bool = False
    episode_return: float = 0.0
    episode_length: int = 0
    lost: int = 0

    @property
    def ends(self) -> bool:
        """Whether the episode goes on no further."""
        return self.terminated or self.truncated


class AgentEnvironments(Protocol):
    """Environments of agents, an agent each, which go on independently of each other.

    Whoever has them asks for a beginning or a step of each environment, one at a time, and gets an arrival.
    """

    restarts: int

    def begin(self, agent: int) -> None:
        """Ask for the next episode; at once, whatever it takes."""

    def step(self, agent: int, action: int) -> None:
        """Ask for a step; at once, whatever it takes."""

    def arrivals(self, wait: bool = True) -> list[Arrival]:
        """Arrivals since the last call, each once and in order; at least one, unless it shall not wait.

        Raises
        ------
        EnvironmentFailure
            An environment failed: what was asked of it is asked again at the next call.
        """

    def state(self) -> EnvironmentState:
        """All episodes, arrivals that nobody has fetched, and what was asked for: arrays and plain numbers."""

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Take back what `state` gave, before anything is asked for."""

    def close(self) -> None:
        """Let go of them."""


class AgentEnvironment:
    """An agent's environment where it runs. No episode is under way at first.

    Parameters
    ----------
    environment
        Identifier of a registered environment, or a function that makes one.
    kind
        Which actions it takes.
    agent
        Agent that it belongs to.
    seed
        Seed of all agents.
    life
        How many environments the agent has had before: each has other episodes.
    """

    def __init__(
        self,
        environment: str | Callable[[], gymnasium.Env],
        kind: type[Environment],
        agent: int,
        seed: int,
        life: int = 0,
    ):
        own = int(np.random.SeedSequence((seed, agent, life)).generate_state(1)[0])
        self._environment = kind(environment if isinstance(environment, str) else environment(), own)
        self._agent = agent
        # The first episode begins when it is asked for, with the same seed.
        self._environment.episode, self._under_way = -1, False

    def do(self, action: int | None) -> Arrival:
        """Take a step, or begin an episode if the action is ``None``.

        Raises
        ------
        EnvironmentFailure
            The environment failed; the state is that before it, from which another one goes on.
        """
        return self._begin() if action is None else self._step(action)

    def _begin(self) -> Arrival:
        environment, episode = self._environment, self._environment.episode
        try:
            environment.begin()
        except Exception as error:
            environment.episode = episode
            if isinstance(error, EnvironmentFailure):
                raise
            raise EnvironmentFailure(f"Reset of episode {episode + 1}: {type(error).__name__}: {error}") from error
        self._under_way = True
        return Arrival(agent=self._agent, observation=environment.observation)

    def _step(self, action: int) -> Arrival:
        environment = self._environment
        observation, reward, terminated, truncated = environment.step(np.asarray(action))
        self._under_way = not (terminated or truncated)
        return Arrival(
            agent=self._agent,
            observation=observation,
            reward=reward,
            terminated=terminated,
            truncated=truncated,
            episode_return=environment.episode_return,
            episode_length=environment.episode_length,
        )

    def state(self) -> EnvironmentState:
        """The episode under way; of one that is over only which it was."""
        if self._under_way:
            return self._environment.state()
        return {}, {"episode": self._environment.episode, "seed": self._environment.seed}

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Take back what `state` gave."""
        self._under_way = bool(arrays)
        if arrays:
            self._environment.restore(arrays, rest)
        else:
            self._environment.episode, self._environment.seed = rest["episode"], rest["seed"]

    def close(self) -> None:
        """Let go of it."""
        self._environment.env.close()
