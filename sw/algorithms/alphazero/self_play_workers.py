"""Self-play in processes of this machine, or on a cluster of Ray's: workers may die, and nothing counts twice."""

import logging
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol

import numpy as np
import torch
from torch import nn

from ...actors.places import PROCESSES, on_ray
from ...core.environments.board_environment import BoardEnvironment
from ...core.worker_process import WorkerProcess
from ...networks.torch_networks import load_modules, save_modules
from ...search.position_evaluator import PositionEvaluator
from ...search.search_config import SearchConfig
from ...search.tree_search import TreeSearch
from .alphazero_hyper_parameters import AlphaZeroHyperParameters
from .policy_value_network import PolicyValueNetwork
from .self_play import FinishedGame, SelfPlay

__all__ = [
    "SelfPlayError", "SelfPlaySettings", "SelfPlayWorker", "SelfPlayWorkers", "worker_weights",
]  # fmt: skip

logger = logging.getLogger(__name__)

Weights = dict[str, np.ndarray]
# Between two looks at who has an answer.
PAUSE_SECONDS = 0.005
# A worker that ended so often one after the other, without a game, is not started again.
ATTEMPTS = 3


class SelfPlayError(RuntimeError):
    """Self-play cannot go on: a worker's own error, or one that ends again and again."""


class LearningEvaluator(PositionEvaluator, Protocol):
    """A :class:`.PositionEvaluator` of a network that changes."""

    def renew(self) -> None:
        """The network has changed."""


@dataclass(frozen=True, kw_only=True)
class SelfPlaySettings:
    """Settings of a worker; they are pickled for each, so functions are of modules.

    Parameters
    ----------
    environment
        Environment of the game.
    config
        Hyper-parameters.
    make_evaluator
        Makes what evaluates a network, in an environment.
    make_search
        Makes the search of an environment with an evaluator, as of a configuration.
    """

    environment: BoardEnvironment
    config: AlphaZeroHyperParameters
    make_evaluator: Callable[[nn.Module, BoardEnvironment], LearningEvaluator]
    make_search: Callable[[BoardEnvironment, PositionEvaluator, SearchConfig], TreeSearch]


class SelfPlayWorker:
    """Plays games with a network of its own, whose weights are sent.

    Parameters
    ----------
    settings
        Settings of all workers.
    stream
        Stream of its games' randomness.
    """

    def __init__(self, settings: SelfPlaySettings, stream: int):
        torch.set_num_threads(1)
        environment, config = settings.environment, settings.config
        shape, actions = environment.observation_shape, environment.actions
        self._network = PolicyValueNetwork(shape, actions, config.channels, config.value_hidden)
        self._evaluator = settings.make_evaluator(self._network, environment)
        self._search = settings.make_search(environment, self._evaluator, config.search)
        self._self_play = SelfPlay(environment, self._search, config, stream)

    def games(self, weights: Weights) -> tuple[list[FinishedGame], int]:
        """Play with these weights until a game has ended: the games, and the moves made."""
        load_modules({"network": self._network}, weights)
        self._evaluator.renew()
        self._search.forget_evaluations()
        before, finished = self._self_play.moves, list[FinishedGame]()
        while not finished:
            finished = self._self_play.round()
        return finished, self._self_play.moves - before


class _Host(Protocol):
    """A worker, as who asks it sees it."""

    @property
    def process_id(self) -> int | None: ...
    def start(self, settings: SelfPlaySettings, stream: int) -> None: ...
    def ask(self, weights: Weights) -> None: ...
    def answer(self) -> Any:
        """Games and moves; ``None``: not yet."""

    def stop(self) -> str:
        """End it; how it ended."""


class SelfPlayWorkers:
    """Workers that play side by side, each with the newest weights whenever it has handed games in.

    The results depend on who is first, and are not the same each time. A worker that dies, or takes longer than its
    limit, is started again: its games under way are forgotten, and those that it has handed in count once.

    Parameters
    ----------
    settings
        Settings of all workers.
    weights
        Gives the newest weights.
    workers
        How many.
    on
        ``"processes"`` or ``"ray"``.
    limit
        Seconds that a worker may take until a game has ended, its start included.

    Members
    -------
    moves
        Made so far in games that workers answered with.
    restarts
        Workers that were started again.

    Raises
    ------
    ValueError
        No worker; no such place; no Ray.
    """

    def __init__(
        self,
        settings: SelfPlaySettings,
        weights: Callable[[], Weights],
        workers: int,
        on: str = PROCESSES,
        limit: float = 600.0,
    ):
        if workers < 1:
            raise ValueError(f"Number of workers must be at least 1, not {workers}")
        make: Callable[[float], _Host] = _ProcessHost
        if on_ray("Workers of self-play", on):
            from .self_play_ray import RayHost

            make = RayHost
        self._settings, self._weights, self._limit = settings, weights, limit
        self.moves = self.restarts = self._started = 0
        self._hosts = [make(limit) for _ in range(workers)]
        self._deadlines = [0.0] * workers
        self._failures = [0] * workers
        self._running = False

    @property
    def process_ids(self) -> list[int]:
        """The numbers of the processes of workers that run, on their machines."""
        return [number for host in self._hosts if (number := host.process_id) is not None]

    def round(self) -> list[FinishedGame]:
        """Games of the workers that have some; waits for at least one.

        Raises
        ------
        SelfPlayError
            A worker failed with an error of its own, or ended again and again.
        """
        if not self._running:
            self._running = True
            for number in range(len(self._hosts)):
                self._start(number)
        found: list[FinishedGame] = []
        while not found:
            for number in range(len(self._hosts)):
                found += self._look(number)
            if not found:
                time.sleep(PAUSE_SECONDS)
        return found

    def _start(self, number: int) -> None:
        # Nobody has the stream of somebody else, those that ended included.
        self._started += 1
        self._hosts[number].start(self._settings, self._started)
        self._ask(number)

    def _ask(self, number: int) -> None:
        self._deadlines[number] = time.monotonic() + self._limit
        self._hosts[number].ask(self._weights())

    def _look(self, number: int) -> list[FinishedGame]:
        """The games that a worker has, if any; one that has ended is started again."""
        try:
            answer = self._hosts[number].answer()
        except EOFError:
            self._restart(number)
            return []
        if answer is None:
            if time.monotonic() > self._deadlines[number]:
                self._restart(number)
            return []
        games, moves = answer
        self.moves += moves
        self._failures[number] = 0
        self._ask(number)
        return list(games)

    def _restart(self, number: int) -> None:
        end = self._hosts[number].stop()
        self._failures[number] += 1
        if self._failures[number] == ATTEMPTS:
            raise SelfPlayError(
                f"Worker {number} of self-play ended {ATTEMPTS} times, or took more than {self._limit:g} seconds, "
                f"without a game: {end}"
            )
        logger.warning("Worker %d of self-play is started again: %s", number, end)
        self.restarts += 1
        self._start(number)

    def state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Arrays and plain numbers of a checkpoint: games under way are not in it."""
        return {}, {"started": self._started, "moves": self.moves, "restarts": self.restarts}

    def restore(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Takes back what `state` gave."""
        self._started, self.moves, self.restarts = rest["started"], rest["moves"], rest["restarts"]

    def close(self) -> None:
        """End all workers."""
        for host in self._hosts:
            host.stop()


class _ProcessHost:
    """A worker in a process of this machine."""

    def __init__(self, limit: float):
        self._worker = WorkerProcess(_serve, limit)

    @property
    def process_id(self) -> int | None:
        return None if self._worker.process is None else self._worker.process.pid

    def start(self, settings: SelfPlaySettings, stream: int) -> None:
        self._worker.start(settings, stream)

    def ask(self, weights: Weights) -> None:
        try:
            self._worker.link.send(weights)
        except OSError:
            # That it has ended is seen where the answer is looked for.
            pass

    def answer(self) -> Any:
        link = self._worker.link
        try:
            if not link.poll():
                return None
            answer = link.recv()
        except OSError as error:
            raise EOFError from error
        if isinstance(answer, str):
            raise SelfPlayError(f"A worker of self-play failed with {answer}")
        return answer

    def stop(self) -> str:
        return f"last exit code {self._worker.stop()}"


def worker_weights(network: nn.Module) -> Weights:
    """The weights of a network, for workers."""
    return save_modules({"network": network})


def _serve(link: Connection, settings: SelfPlaySettings, stream: int) -> None:
    """The process takes weights and sends games until the link ends. It sends an error as text, to be raised."""
    try:
        worker = SelfPlayWorker(settings, stream)
        while True:
            link.send(worker.games(link.recv()))
    except (EOFError, OSError):
        pass
    except Exception as error:
        link.send(f"{type(error).__name__}: {error}\n{traceback.format_exc()}")
