"""A Gymnasium environment as the agent sees it: actions in [-1, 1] or by number, episodes that can be replayed."""

import math
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from .arcade import ARCADE
from .failure import EnvironmentFailure, NonFiniteError
from .make_environment import make_environment

__all__ = ["DiscreteEnvironment", "Environment", "identifier_of"]


def identifier_of(env: gymnasium.Env | str) -> str | None:
    """Identifier of a registered environment; ``None`` for another one."""
    if isinstance(env, str):
        return env
    return env.spec.id if env.spec is not None else None


def _vector(kind: str, space: gymnasium.Space) -> gymnasium.spaces.Box:
    if not isinstance(space, gymnasium.spaces.Box):
        raise ValueError(f"The {kind} space must be a Box of real numbers, not {space}")
    if len(space.shape) != 1:
        raise ValueError(f"The {kind} space must be a vector, not of shape {space.shape}")
    return space


class Environment:
    """Wraps an environment: scales actions to its bounds, seeds every episode, remembers the episode under way.

    Episode k starts with `reset(seed=...)`, the seed a function of (seed, k) alone. The episode under way is
    therefore its seed and the actions taken in it, which is all a checkpoint needs, whatever the environment is made
    of.

    Parameters
    ----------
    env
        A Gymnasium environment, or the identifier of a registered one.
    seed
        Seed from which the seeds of the episodes come.

    Raises
    ------
    ValueError
        No such environment; or its actions are no bounded vector, or its observations no vector.
    """

    _action_type: np.dtype

    def __init__(self, env: gymnasium.Env | str, seed: int):
        self.env = self.make(env) if isinstance(env, str) else env
        self.seed = seed
        self._take_actions(self.env.action_space)
        self._take_observations(self.env.observation_space)
        self.episode = -1
        self.begin()

    @classmethod
    def make(cls, identifier: str, **settings: Any) -> gymnasium.Env:
        """The Gymnasium environment that a wrapper of this kind has of an identifier.

        Parameters
        ----------
        identifier
            Name of a registered environment.
        **settings
            Settings of :func:`.make_environment`.

        Raises
        ------
        ValueError
            It cannot be made, and why.
        """
        # A game's memory is a vector; pictures are not.
        return make_environment(
            identifier, **({"obs_type": "ram"} if identifier.startswith(ARCADE) else {}), **settings
        )

    def _take_actions(self, space: gymnasium.Space) -> None:
        """Learns what actions there are."""
        actions = _vector("action", space)
        self.action_size, self._action_type, self._action_shape = actions.shape[0], np.dtype(np.float32), actions.shape
        low, high = actions.low, actions.high
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise ValueError(f"The action space must be bounded, not {actions}")
        self._middle = ((high.astype(np.float64) + low) / 2).astype(np.float32)
        self._half_range = ((high.astype(np.float64) - low) / 2).astype(np.float32)

    def _take_observations(self, space: gymnasium.Space) -> None:
        """Learns what is observed."""
        self.observation_size = _vector("observation", space).shape[0]

    @property
    def name(self) -> str | None:
        """Identifier under which the environment is registered, if it is."""
        return identifier_of(self.env)

    def unscale(self, actions: np.ndarray) -> Any:
        """Actions in [-1, 1] to the environment's bounds."""
        return (self._middle + self._half_range * actions).astype(np.float32)

    def random_action(self, generator: np.random.Generator) -> np.ndarray:
        """Any action, all as likely."""
        return generator.uniform(-1, 1, self.action_size).astype(np.float32)

    def begin(self) -> None:
        """Begins the next episode."""
        self.episode += 1
        self._start(self.episode)

    def _start(self, episode: int) -> None:
        seed = int(np.random.SeedSequence((self.seed, episode)).generate_state(1)[0])
        self._actions: list[np.ndarray] = []
        self.episode_return = 0.0
        self.observation = self._checked(self.env.reset(seed=seed)[0], 0)

    @property
    def episode_length(self) -> int:
        """Steps taken in the episode under way."""
        return len(self._actions)

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool]:
        """Takes an action in [-1, 1]: next observation, reward, terminated, truncated. Does not begin an episode."""
        action = np.array(action, dtype=self._action_type)
        try:
            observation, reward, terminated, truncated, _ = self.env.step(self.unscale(action))
        except Exception as error:
            raise EnvironmentFailure(
                f"Step {self.episode_length + 1} of episode {self.episode}: {type(error).__name__}: {error}"
            ) from error
        # Nothing is kept of a step that is no good.
        checked = self._checked(observation, self.episode_length + 1)
        reward = self._checked_reward(reward, self.episode_length + 1)
        self._actions.append(action)
        self.observation = checked
        self.episode_return += reward
        return self.observation, reward, bool(terminated), bool(truncated)

    def _checked(self, observation: Any, number: int) -> np.ndarray:
        observation = np.asarray(observation, dtype=np.float32)
        # A sum of binary32 in binary64 is only not finite if a term is not; for a few, NumPy's calls take longer.
        if not math.isfinite(sum(observation.ravel().tolist())):
            where = int(np.flatnonzero(~np.isfinite(observation))[0])
            raise NonFiniteError(
                f"Element {where} of the observation after step {number} "
                f"of episode {self.episode} is {observation[where]}; observations must be finite"
            )
        return observation

    @staticmethod
    def _checked_reward(reward: Any, number: int) -> float:
        if not math.isfinite(reward):
            raise NonFiniteError(f"Reward {number} of an episode is {reward}; rewards must be finite")
        return float(reward)

    def run_episode(
        self, episode_seed: int, policy: Callable[[np.ndarray], np.ndarray], steps: int | None = None
    ) -> float:
        """Plays an episode from a seed with `policy(observation) -> action in [-1, 1]`, cut off after so many steps, if
        a number is given; its return."""
        observation = self._checked(self.env.reset(seed=episode_seed)[0], 0)
        total, ended, length = 0.0, False, 0
        while not ended and length != steps:
            length += 1
            observation, reward, terminated, truncated, _ = self.env.step(self.unscale(policy(observation)))
            observation = self._checked(observation, length)
            total += self._checked_reward(reward, length)
            ended = terminated or truncated
        return total

    def state(self) -> tuple[dict[str, np.ndarray], dict]:
        """The episode under way: arrays and plain numbers."""
        actions = np.array(self._actions, dtype=self._action_type).reshape(-1, *self._action_shape)
        return {"actions": actions, "observation": self.observation}, {"episode": self.episode, "seed": self.seed}

    def restore(self, arrays: dict[str, np.ndarray], rest: dict) -> None:
        """Plays the episode under way again, up to where `state` was taken.

        Raises
        ------
        ValueError
            The environment did not come out where it was: another version, or not a function of seed and actions.
        """
        self.seed, self.episode = rest["seed"], rest["episode"]
        self._start(self.episode)
        for action in arrays["actions"]:
            self.step(action)
        if not np.array_equal(self.observation, arrays["observation"]):
            raise ValueError(
                f"{self.name or self.env} played again from its seed came out elsewhere than at the checkpoint: it "
                "keeps state besides seed and actions, or it is another version; training cannot go on identically"
            )


class DiscreteEnvironment(Environment):
    """The same for an environment with numbered actions, from 0 to ``action_size - 1``: each is an int64 of its own."""

    def _take_actions(self, space: gymnasium.Space) -> None:
        if not isinstance(space, gymnasium.spaces.Discrete):
            raise ValueError(f"The action space must be Discrete, not {space}")
        self.action_size, self._action_type, self._action_shape = int(space.n), np.dtype(np.int64), ()
        self._first = int(space.start)

    def unscale(self, actions: np.ndarray) -> Any:
        """Numbers as the environment counts them, an int if there is but one."""
        return np.asarray(actions + self._first).tolist()

    def random_action(self, generator: np.random.Generator) -> np.ndarray:
        """Any action, all as likely."""
        return np.asarray(generator.integers(self.action_size))
