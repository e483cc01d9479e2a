"""A worker of self-play on Ray, which may be on another machine."""

import os
from typing import Any

import ray

from ...actors.ray_worker import RayWorker, remote_class
from .self_play import FinishedGame
from .self_play_workers import SelfPlayError, SelfPlaySettings, SelfPlayWorker, Weights

__all__ = ["RayHost"]


class RayHost:
    """A :class:`.SelfPlayWorker` in a process of a Ray cluster, a core each.

    Parameters
    ----------
    limit
        Seconds that an answer may take.
    """

    def __init__(self, limit: float):
        self._worker = RayWorker(_remote_worker, limit)
        self._asked: Any = None

    @property
    def process_id(self) -> int | None:
        """The number on its machine; ``None``: it does not run."""
        return self._worker.process_id

    def start(self, settings: SelfPlaySettings, stream: int) -> None:
        """Start it."""
        self._worker.start(settings, stream)

    def ask(self, weights: Weights) -> None:
        """Let it play with these weights."""
        self._asked = self._worker.actor.games.remote(weights)

    def answer(self) -> Any:
        """Games and moves; ``None``: not yet.

        Raises
        ------
        EOFError
            It has ended.
        SelfPlayError
            It has failed.
        """
        if not ray.wait([self._asked], timeout=0)[0]:
            return None
        try:
            found = self._worker.answer(self._asked)
        except ray.exceptions.RayTaskError as error:
            cause = error.cause
            raise SelfPlayError(f"A worker of self-play failed with {type(cause).__name__}: {cause}\n{error}") from None
        if found is None:
            raise EOFError
        return found

    def stop(self) -> str:
        """End it; how it ended."""
        self._asked = None
        return self._worker.stop()


class _RemoteWorker:
    """The worker in its process: its errors come back with answers, so those of its beginning with the first games."""

    def __init__(self, *arguments: Any):
        self._arguments = arguments
        self._begun: SelfPlayWorker | None = None

    def games(self, weights: Weights) -> tuple[list[FinishedGame], int]:
        if self._begun is None:
            self._begun = SelfPlayWorker(*self._arguments)
        return self._begun.games(weights)

    def process_id(self) -> int:
        return os.getpid()


_remote_worker = remote_class(_RemoteWorker)
