"""Agents' environments, each in a process of its own, which may die without a step being counted twice."""

import dataclasses
import time
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any, Self

import gymnasium
import numpy as np

from ..core.environments.environment import Environment
from ..core.environments.failure import EnvironmentFailure
from ..core.worker_process import WorkerProcess
from .actor import ActorError
from .agent_environment import AgentEnvironment, Arrival, EnvironmentState
from .environments_state import EnvironmentsState

__all__ = ["EnvironmentProcesses"]

# An environment whose processes ended so often without a step is given up.
ATTEMPTS = 3


@dataclasses.dataclass(frozen=True)
class _Failure:
    """What a process says of an error: whether the environment's step or beginning raised it, and its words."""

    of_environment: bool
    words: str


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
        Of everything random but who comes first.
    limit
        Seconds that a step may take, the start of its process included.

    Members
    -------
    restarts
        Environments that were started again.

    Raises
    ------
    ValueError
        A limit that is none.
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
    ):
        if not limit > 0:
            raise ValueError(f"Limit must be above 0 seconds, not {limit}")
        self._limit = limit
        self._workers = [_Worker((environment, kind, agent, seed), agent, limit) for agent in range(agents)]
        self._held: list[Arrival] = []
        # What is asked of which agent's at the next call: failed before, or restored.
        self._again: dict[int, int | None] = {}
        self.restarts = 0

    @property
    def process_ids(self) -> dict[int, int]:
        """Of the processes that run now, by agent."""
        running = {worker.agent: worker.process for worker in self._workers}
        return {agent: process.pid for agent, process in running.items() if process is not None}

    def begin(self, agent: int) -> None:
        """Ask for the next episode."""
        self._ask(agent, None)

    def step(self, agent: int, action: int) -> None:
        """Ask for a step."""
        self._ask(agent, action)

    def _ask(self, agent: int, action: int | None) -> None:
        worker = self._workers[agent]
        if not worker.ask(action):
            self._start_again(worker)

    def arrivals(self, wait: bool = True) -> list[Arrival]:
        """What has come since; at least one, unless it shall not wait.

        Raises
        ------
        EnvironmentFailure
            An environment failed: what was asked of it is asked again at the next call.
        ActorError
            An environment cannot be made, or all attempts at one ended.
        """
        again, self._again = self._again, {}
        for agent, action in again.items():
            self._ask(agent, action)
        self._listen(0.0)
        while wait and not self._held:
            self._listen(None)
        found, self._held = self._held, []
        return found

    def _listen(self, seconds: float | None) -> None:
        """Take what has come; wait so long for it, or until somebody's limit."""
        busy = [worker for worker in self._workers if worker.busy]
        if not busy:
            return
        until = min(worker.deadline for worker in busy)
        ready = wait(
            [worker.link for worker in busy], max(0.0, until - time.monotonic()) if seconds is None else seconds
        )
        failures = [failure for worker in busy if (failure := self._heard(worker, worker.link in ready)) is not None]
        if failures:
            raise failures[0]

    def _heard(self, worker: "_Worker", ready: bool) -> EnvironmentFailure | None:
        """Take what a process says, if it does; one that is dead or takes too long is started again."""
        if not ready and time.monotonic() < worker.deadline:
            return None
        message = worker.receive() if ready else None
        if message is None:
            self._start_again(worker)
        elif isinstance(message, Arrival):
            self._held.append(worker.arrived(message))
        elif message.of_environment:
            self._again[worker.agent] = worker.asked
            worker.busy = False
            return EnvironmentFailure(f"Agent {worker.agent}: {message.words}")
        else:
            worker.busy = False
            raise ActorError(f"The environment of agent {worker.agent} cannot be made: {message.words}")
        return None

    def _start_again(self, worker: "_Worker") -> None:
        code = worker.stop()
        worker.attempts += 1
        if worker.attempts == ATTEMPTS:
            raise ActorError(
                f"The environment of agent {worker.agent} was given up: {ATTEMPTS} processes ended, or took more than "
                f"{self._limit:g} seconds, without a step (last exit code {code})"
            )
        self.restarts += 1
        worker.lose()

    def state(self) -> EnvironmentState:
        """Episodes, arrivals that nobody has fetched, and what was asked for of environments that failed.

        It waits for all steps under way.

        Raises
        ------
        ActorError
            As of `arrivals`.
        """
        states: dict[int, EnvironmentState] = {}
        while len(states) < len(self._workers):
            while any(worker.busy for worker in self._workers):
                try:
                    self._listen(None)
                except EnvironmentFailure:
                    # It is told when it fails again.
                    continue
            # Whoever dies meanwhile begins anew, which is waited for.
            states = {worker.agent: state for worker in self._workers if (state := self._state_of(worker)) is not None}
        lives = [worker.life for worker in self._workers]
        ordered = [states[agent] for agent in range(len(self._workers))]
        return EnvironmentsState(ordered, lives, self._held, self._again, self.restarts).pack()

    def _state_of(self, worker: "_Worker") -> EnvironmentState | None:
        state = worker.state()
        if state is None:
            self._start_again(worker)
        return state

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Take back what `state` gave, before anything is asked for."""
        found = EnvironmentsState.unpack(arrays, rest, len(self._workers))
        self._held, self._again, self.restarts = found.held, found.asked, found.restarts
        for worker, life, state in zip(self._workers, found.lives, found.environments, strict=True):
            worker.life, worker.first = life, state

    def close(self) -> None:
        """End all processes."""
        for worker in self._workers:
            worker.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Worker(WorkerProcess):
    """An agent's process, and what it was asked: an action, or ``None`` to begin an episode."""

    def __init__(self, arguments: tuple[Any, ...], agent: int, limit: float):
        super().__init__(_serve, limit)
        self._arguments, self.agent, self._seconds = arguments, agent, limit
        self.life = self.attempts = 0
        self.first: EnvironmentState | None = None
        self.asked: int | None = None
        self.busy, self._lost = False, 0
        self.deadline = 0.0

    def _begin_process(self) -> None:
        first, self.first = self.first, None
        self.start(*self._arguments, self.life, first)

    def ask(self, action: int | None) -> bool:
        """Send a question; whether the process was there to take it."""
        self.asked, self.busy, self.deadline = action, True, time.monotonic() + self._seconds
        if self.process is None:
            self._begin_process()
        return self._send((action,))

    def _send(self, message: Any) -> bool:
        try:
            self.link.send(message)
        except OSError:
            return False
        return True

    def receive(self) -> Any:
        """What it says; ``None`` if it is dead."""
        try:
            return self.link.recv()
        except (EOFError, OSError):
            return None

    def arrived(self, arrival: Arrival) -> Arrival:
        """The arrival of what was asked, which says how many were lost."""
        lost, self.busy, self._lost = self._lost, False, 0
        if arrival.reward is not None:
            self.attempts = 0
        return dataclasses.replace(arrival, lost=lost)

    def lose(self) -> None:
        """Begin another episode in another process."""
        self.life += 1
        self._lost += 1
        self.first = None
        self.ask(None)

    def state(self) -> EnvironmentState | None:
        """The environment's, of one that was not asked anything; ``None``: its process is dead."""
        if self.process is None:
            if self.first is not None:
                return self.first
            self._begin_process()
        if not self._send("state") or not self.link.poll(self._seconds):
            return None
        return self.receive()


def _serve(link: Connection, environment: Any, kind: Any, agent: int, seed: int, life: int, first: Any) -> None:
    """What the process does: answers, until the link to the host ends."""
    try:
        try:
            own = AgentEnvironment(environment, kind, agent, seed, life)
            if first is not None:
                own.restore(*first)
        except Exception as error:
            link.recv()
            link.send(_Failure(False, _words(error)))
            return
        while True:
            message = link.recv()
            if message == "state":
                link.send(own.state())
                continue
            try:
                link.send(own.do(*message))
            except EnvironmentFailure as error:
                # What the environment raised is its cause, but for a number that is none.
                link.send(_Failure(True, _words(error.__cause__) if error.__cause__ else str(error)))
    except (EOFError, OSError):
        pass


def _words(error: BaseException) -> str:
    """Kind, place and words of an error, whose traceback stays in the process."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {place.filename}:{place.lineno}: {error}"
