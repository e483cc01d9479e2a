"""Agents' environments, each in a process of its own, which may die without a step being counted twice."""

import dataclasses
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

import gymnasium
import numpy as np

from ..core.environments.environment import Environment
from ..core.environments.failure import EnvironmentFailure
from .actor import ActorError
from .agent_environment import Arrival, EnvironmentState
from .environment_server import ServerFailure
from .environments_state import EnvironmentsState
from .places import PROCESSES, on_ray
from .process_environment import ProcessEnvironment

__all__ = ["EnvironmentProcesses", "HostedEnvironment"]

logger = logging.getLogger(__name__)

# An environment whose processes ended so often without a step is given up.
ATTEMPTS = 3


class HostedEnvironment(Protocol):
    """An agent's environment as its host sees it, wherever its process runs; it is asked one thing at a time.

    Parameters
    ----------
    limit
        Seconds that `state` may take; the host watches over steps.
    """

    def __init__(self, limit: float): ...

    @property
    def process_id(self) -> int | None:
        """``None``: it does not run."""
        ...

    def start(self, arguments: tuple[Any, ...], state: EnvironmentState | None) -> None:
        """Let it begin with arguments of :class:`.AgentEnvironment`, or go on from a state, if it does not run."""
        ...

    def ask(self, action: int | None) -> None:
        """Ask for a step, or for an episode to begin (``None``); at once, whether it is dead or not."""
        ...

    @staticmethod
    def ready(some: Sequence[Any], seconds: float) -> list[Any]:
        """Wait until any of those that were asked has answered or died, or for so many seconds; which have."""
        ...

    def receive(self) -> Arrival | ServerFailure | None:
        """The answer; ``None``: it is dead, or has not answered."""
        ...

    def state(self) -> EnvironmentState | ServerFailure | None:
        """The state of one that is asked nothing else; ``None``: it is dead, or takes too long."""
        ...

    def stop(self) -> str:
        """End it, whatever it does; how it ended."""
        ...


class EnvironmentProcesses:
    """:class:`.AgentEnvironments` in processes, which work while others are served: who has come first is first.

    An environment whose process has ended, or takes too long, is started again with other seeds; its arrival is the
    beginning of an episode, and says that the one before is lost.

    Parameters
    ----------
    environment
        Identifier of a registered environment, or a function of a module that makes one.
    kind
        Which actions it takes.
    agents
        How many.
    seed
        Seed of everything random but who comes first.
    limit
        Seconds that a step may take, the start of its process included.
    on
        ``"processes"`` of this machine, or ``"ray"``: a cluster of machines (:class:`.RayWorker`).

    Members
    -------
    restarts
        Environments that were started again.

    Raises
    ------
    ValueError
        The limit is not above 0; there is no such place, or no Ray.
    ActorError
        In `arrivals`: an environment cannot be made, or all attempts at one ended.
    """

    def __init__(
        self,
        environment: str | Callable[[], gymnasium.Env],
        kind: type[Environment],
        agents: int,
        seed: int,
        limit: float = 60.0,
        on: str = PROCESSES,
    ):
        if not limit > 0:
            raise ValueError(f"Limit must be above 0 seconds, not {limit}")
        self._environment, self._kind, self._seed, self._limit = environment, kind, seed, limit
        hosted = _where(on)
        self._ready = hosted.ready
        self._agents = [_Agent(number, hosted(limit)) for number in range(agents)]
        self._held: list[Arrival] = []
        # Requests to agents' environments for the next call, by agent: they failed before, or were restored.
        self._again: dict[int, int | None] = {}
        self.restarts = 0

    @property
    def process_ids(self) -> dict[int, int]:
        """Process ids of the running environments, each on its machine, by agent."""
        numbers = {agent.number: agent.hosted.process_id for agent in self._agents}
        return {agent: number for agent, number in numbers.items() if number is not None}

    def begin(self, agent: int) -> None:
        """Ask for the next episode."""
        self._ask(self._agents[agent], None)

    def step(self, agent: int, action: int) -> None:
        """Ask for a step."""
        self._ask(self._agents[agent], action)

    def _ask(self, agent: "_Agent", action: int | None) -> None:
        agent.asked, agent.busy, agent.deadline = action, True, time.monotonic() + self._limit
        self._start(agent)
        agent.hosted.ask(action)

    def _start(self, agent: "_Agent") -> None:
        state, agent.restored = agent.restored, None
        agent.hosted.start((self._environment, self._kind, agent.number, self._seed, agent.life), state)

    def arrivals(self, wait: bool = True) -> list[Arrival]:
        """Arrivals since the last call; at least one, unless it shall not wait.

        Raises
        ------
        EnvironmentFailure
            An environment failed: what was asked of it is asked again at the next call.
        ActorError
            An environment cannot be made, or all attempts at one ended.
        """
        again, self._again = self._again, {}
        for agent, action in again.items():
            self._ask(self._agents[agent], action)
        self._listen(0.0)
        while wait and not self._held:
            self._listen(None)
        found, self._held = self._held, []
        return found

    def _listen(self, seconds: float | None) -> None:
        """Take what has come; wait so long for it, or until somebody's limit."""
        busy = [agent for agent in self._agents if agent.busy]
        if not busy:
            return
        if seconds is None:
            seconds = max(0.0, min(agent.deadline for agent in busy) - time.monotonic())
        ready = self._ready([agent.hosted for agent in busy], seconds)
        failures = [failure for agent in busy if (failure := self._heard(agent, agent.hosted in ready)) is not None]
        if failures:
            raise failures[0]

    def _heard(self, agent: "_Agent", ready: bool) -> EnvironmentFailure | None:
        """Take what an environment says, if it does; one that is dead or takes too long is started again."""
        if not ready and time.monotonic() < agent.deadline:
            return None
        answer = agent.hosted.receive()
        if answer is None:
            self._start_again(agent)
        elif isinstance(answer, Arrival):
            self._held.append(agent.arrived(answer))
        elif answer.of_environment:
            self._again[agent.number] = agent.asked
            agent.busy = False
            return EnvironmentFailure(f"Agent {agent.number}: {answer.words}")
        else:
            agent.busy = False
            raise _cannot_be_made(agent, answer)
        return None

    def _start_again(self, agent: "_Agent") -> None:
        """Begin another episode in another process."""
        end = agent.hosted.stop()
        agent.attempts += 1
        if agent.attempts == ATTEMPTS:
            raise ActorError(
                f"The environment of agent {agent.number} was given up: {ATTEMPTS} processes ended, or took more than "
                f"{self._limit:g} seconds, without a step ({end})"
            )
        logger.warning("The environment of agent %d is started again: %s", agent.number, end)
        self.restarts += 1
        agent.life += 1
        agent.lost += 1
        self._ask(agent, None)

    def state(self) -> EnvironmentState:
        """Episodes, arrivals that nobody has fetched, and what was asked for of environments that failed.

        It waits for all steps under way.

        Raises
        ------
        ActorError
            As of `arrivals`.
        """
        states: list[EnvironmentState] = []
        while len(states) < len(self._agents):
            while any(agent.busy for agent in self._agents):
                try:
                    self._listen(None)
                except EnvironmentFailure:
                    # Its error is reported when it fails again.
                    continue
            # Whoever dies meanwhile begins anew, which is waited for.
            states = [state for agent in self._agents if (state := self._state_of(agent)) is not None]
        lives = [agent.life for agent in self._agents]
        return EnvironmentsState(states, lives, self._held, self._again, self.restarts).pack()

    def _state_of(self, agent: "_Agent") -> EnvironmentState | None:
        """The state of an environment; ``None`` if it died, and was started again."""
        if agent.restored is not None:
            return agent.restored
        self._start(agent)
        state = agent.hosted.state()
        if state is None:
            self._start_again(agent)
        elif isinstance(state, ServerFailure):
            raise _cannot_be_made(agent, state)
        return state

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Take back what `state` gave, before anything is asked for."""
        found = EnvironmentsState.unpack(arrays, rest, len(self._agents))
        self._held, self._again, self.restarts = found.held, found.asked, found.restarts
        for agent, life, state in zip(self._agents, found.lives, found.environments, strict=True):
            agent.life, agent.restored = life, state

    def close(self) -> None:
        """End all processes."""
        for agent in self._agents:
            agent.hosted.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclasses.dataclass
class _Agent:
    """An agent's environment as its host knows it.

    ``life`` counts how often it was started again, ``lost`` how often since its last arrival, and ``attempts`` since
    its last step; ``restored`` is what it goes on from, until it is started.
    """

    number: int
    hosted: HostedEnvironment
    life: int = 0
    lost: int = 0
    attempts: int = 0
    restored: EnvironmentState | None = None
    asked: int | None = None
    busy: bool = False
    deadline: float = 0.0

    def arrived(self, arrival: Arrival) -> Arrival:
        """The arrival of what was asked, which says how many were lost."""
        lost, self.busy, self.lost = self.lost, False, 0
        if arrival.reward is not None:
            self.attempts = 0
        return dataclasses.replace(arrival, lost=lost)


def _cannot_be_made(agent: _Agent, failure: ServerFailure) -> ActorError:
    return ActorError(f"The environment of agent {agent.number} cannot be made: {failure.words}")


def _where(on: str) -> type[HostedEnvironment]:
    if not on_ray("Environments", on):
        return ProcessEnvironment
    from .ray_environment import RayEnvironment

    return RayEnvironment
