"""PettingZoo's parallel environments as episodes side by side."""

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import gymnasium
import numpy as np
from pettingzoo import ParallelEnv

from .failure import EnvironmentFailure, NonFiniteError

__all__ = ["ParallelEnvironments", "alike_spaces", "spaces_of"]

# From which the seeds of episodes are drawn: environments take them as 32 bits.
SEEDS = 2**32


class ParallelEnvironments:
    """An :class:`.EpisodeBatch` of any PettingZoo ``ParallelEnv`` with numbered actions and vectors to observe.

    Each episode has an environment of its own. Its seed is drawn from the generator of `reset`, one for each
    environment in order, so an episode is a function of that seed and the actions if the environment is.

    Agents are ``possible_agents`` in that order, and they act while they are among the environment's ``agents``. An
    agent that is terminated or truncated has the reward of that step, and then stands still: it observes zeros, its
    actions go nowhere, its rewards are zero. An agent that the environment brings back acts again. An episode ends
    with its last agent; none is begun before the next `reset`. Terminated and truncated are the same here: the sum of
    the rewards ends, and nothing is put in the place of what might have followed.

    Parameters
    ----------
    make
        Makes an environment; called ``episodes`` times.
    episodes
        How many.
    steps
        Time steps after which episodes are cut off; ``None``: the environment's own ``max_cycles``.
    name
        Identifier, if it has one.

    Members
    -------
    seeds
        Seeds of the episodes under way.

    Raises
    ------
    TypeError
        ``make`` is no function, or makes something else.
    ValueError
        Actions that are not Discrete, observations that are no vectors of a Box, either other than the first agent's;
        no agents, or steps that nobody says.
    """

    def __init__(
        self, make: Callable[[], ParallelEnv], episodes: int, *, steps: int | None = None, name: str | None = None
    ):
        if isinstance(make, ParallelEnv) or not callable(make):
            raise TypeError(f"An environment must be given as a function that makes one, not as {_kind(make)}")
        if episodes < 1:
            raise ValueError(f"episodes must be at least 1, not {episodes}")
        self.name, self.episodes = name, episodes
        # Environments that were made are closed if one is refused.
        with contextlib.ExitStack() as opened:
            self._environments = [opened.enter_context(contextlib.closing(_made(make))) for _ in range(episodes)]
            self._take_sizes(steps)
            opened.pop_all()
        self.task = {name: getattr(self, name) for name in ("agents", "observation_size", "actions", "steps")}
        self.alive = np.zeros((episodes, self.agents), bool)
        self.seeds: list[int] = []
        self._lengths = np.zeros(episodes, int)

    def _take_sizes(self, steps: int | None) -> None:
        """Learn what agents there are, and what they observe and do."""
        first = self._environments[0]
        self._names = list(first.possible_agents)
        self.agents = len(self._names)
        spaces = self._spaces(first)
        for other in self._environments[1:]:
            if other.possible_agents != self._names or self._spaces(other) != spaces:
                raise ValueError(f"Environments must all be alike; {other} has other agents or spaces than {first}")
        # By agent.
        self._sizes, self._counts, self._starts = (list(values) for values in zip(*spaces, strict=True))
        self.observation_size, self.actions = max(self._sizes), max(self._counts)
        self.steps = _steps(first, steps)

    @staticmethod
    def _spaces(environment: ParallelEnv) -> list[tuple[int, int, int]]:
        """How many elements each agent observes, how many actions it has, and the first action's number."""
        return alike_spaces(environment)

    def reset(self, generator: np.random.Generator) -> np.ndarray:
        """Begin all episodes: their observations."""
        self.seeds = generator.integers(SEEDS, size=self.episodes).tolist()
        observations = np.zeros((self.episodes, self.agents, self.observation_size), np.float32)
        self.alive = np.zeros((self.episodes, self.agents), bool)
        self._lengths = np.zeros(self.episodes, int)
        for episode, environment in enumerate(self._environments):
            with self._telling_where(episode):
                self._take(episode, self._begin(episode, environment), observations)
                if not self.alive[episode].any():
                    raise EnvironmentFailure("no agent is there")
        return observations

    def _begin(self, episode: int, environment: ParallelEnv) -> Any:
        """Reset an environment: the observations of its agents."""
        return environment.reset(seed=self.seeds[episode])[0]

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Take actions, episodes x agents: observations, rewards."""
        observations = np.zeros((self.episodes, self.agents, self.observation_size), np.float32)
        rewards = np.zeros((self.episodes, self.agents))
        before, self.alive = self.alive, np.zeros_like(self.alive)
        for episode in np.flatnonzero(before.any(axis=1)).tolist():
            self._lengths[episode] += 1
            acting = np.flatnonzero(before[episode]).tolist()
            chosen = {self._names[agent]: int(actions[episode, agent] + self._starts[agent]) for agent in acting}
            with self._telling_where(episode):
                found, gained, terminated, truncated, _ = self._environments[episode].step(chosen)
                for agent in acting:
                    rewards[episode, agent] = self._reward(self._names[agent], gained)
                ended = {name for name in self._names if terminated.get(name) or truncated.get(name)}
                self._take(episode, found, observations, ended)
                self._see_ends(episode, acting, found, terminated, ended)
        return observations, rewards

    @contextlib.contextmanager
    def _telling_where(self, episode: int) -> Iterator[None]:
        """Within it, whatever the environment raises is told as its failure, and where."""
        length = self._lengths[episode]
        where = f"{f'Step {length}' if length else 'Reset'} of environment {episode} (seed {self.seeds[episode]})"
        try:
            yield
        except EnvironmentFailure as error:
            kind = NonFiniteError if isinstance(error, NonFiniteError) else EnvironmentFailure
            raise kind(f"{where}: {error}") from error
        except Exception as error:
            raise EnvironmentFailure(f"{where}: {type(error).__name__}: {error}") from error

    def _take(self, episode: int, found: Any, observations: np.ndarray, ended: Iterable[str] = ()) -> None:
        """Who goes on in an episode, and what they observe."""
        going_on = set(self._environments[episode].agents) - set(ended)
        for agent, name in enumerate(self._names):
            if name in going_on:
                self.alive[episode, agent] = True
                observations[episode, agent, : self._sizes[agent]] = self._observation(agent, found)

    def _see_ends(self, episode: int, acting: list[int], found: Any, terminated: Any, ended: set[str]) -> None:
        """How agents ended in a step: nothing here, where it does not matter."""

    def _observation(self, agent: int, found: Any) -> np.ndarray:
        name, size = self._names[agent], self._sizes[agent]
        if name not in found:
            raise EnvironmentFailure(f"agent {name} goes on and has no observation")
        observation = np.asarray(found[name], np.float32)
        if observation.shape != (size,):
            raise EnvironmentFailure(
                f"the observation of agent {name} must have shape ({size},), not {observation.shape}"
            )
        if not np.isfinite(observation).all():
            where = int(np.flatnonzero(~np.isfinite(observation))[0])
            raise NonFiniteError(
                f"element {where} of the observation of agent {name} is {observation[where]}; observations must be "
                "finite"
            )
        return observation

    @staticmethod
    def _reward(name: str, gained: Any) -> float:
        if name not in gained:
            raise EnvironmentFailure(f"agent {name} acted and has no reward")
        reward = float(gained[name])
        if not np.isfinite(reward):
            raise NonFiniteError(f"the reward of agent {name} is {reward}; rewards must be finite")
        return reward

    def outcome(self) -> dict[str, float]:
        """``length``: the mean of the steps that the episodes took."""
        return {"length": float(self._lengths.mean())}

    def close(self) -> None:
        """Close the environments."""
        for environment in self._environments:
            environment.close()


def _made(make: Callable[[], ParallelEnv]) -> ParallelEnv:
    environment = make()
    if not isinstance(environment, ParallelEnv):
        raise TypeError(f"The environment must be a ParallelEnv of PettingZoo, not {_kind(environment)}")
    if not environment.possible_agents:
        raise ValueError(f"Environment {environment} must have agents; its possible_agents are empty")
    return environment


def _kind(something: Any) -> str:
    return f"{type(something).__module__}.{type(something).__qualname__}"


def spaces_of(environment: ParallelEnv) -> list[tuple[int, int, int]]:
    """For each agent the number of observed elements, the number of actions, and the first action's number.

    Raises
    ------
    ValueError
        Actions that are not Discrete, or observations that are no vectors of a Box.
    """
    found = []
    for agent in environment.possible_agents:
        actions, observations = environment.action_space(agent), environment.observation_space(agent)
        if not isinstance(actions, gymnasium.spaces.Discrete):
            raise ValueError(f"The action space of agent {agent} must be Discrete, not {actions}")
        if not isinstance(observations, gymnasium.spaces.Box):
            raise ValueError(f"The observation space of agent {agent} must be a Box, not {observations}")
        if len(observations.shape) != 1:
            raise ValueError(
                f"The observation space of agent {agent} must be a vector, not of shape {observations.shape}"
            )
        found.append((int(observations.shape[0]), int(actions.n), int(actions.start)))
    return found


def alike_spaces(environment: ParallelEnv) -> list[tuple[int, int, int]]:
    """The result of `spaces_of` for agents that are alike in all of it.

    Raises
    ------
    ValueError
        As `spaces_of`; or the agents differ.
    """
    found = spaces_of(environment)
    first = environment.possible_agents[0]
    for agent, (size, *actions) in zip(environment.possible_agents, found, strict=True):
        if actions != list(found[0][1:]):
            raise ValueError(
                f"All agents must have the action space of {first}, {environment.action_space(first)}; "
                f"{agent} has {environment.action_space(agent)}"
            )
        if size != found[0][0]:
            raise ValueError(
                f"All agents must observe as many elements as {first}, {found[0][0]}; {agent} observes {size}"
            )
    return found


def _steps(environment: ParallelEnv, given: int | None) -> int:
    """Time steps of an episode: those given, else what the environment says itself."""
    steps = given if given is not None else getattr(environment.unwrapped, "max_cycles", None)
    if steps is None:
        raise ValueError(
            f"Environment {environment} has no max_cycles that says how long its episodes are: give their steps "
            "(steps, on the command line --episode-steps)"
        )
    if isinstance(steps, bool) or not isinstance(steps, int):
        raise TypeError(f"steps must be a whole number, not {steps!r}")
    if steps < 1:
        raise ValueError(f"steps must be at least 1, not {steps}")
    return steps
