"""An actor in a process of this machine; experience and weights go through shared memory."""

import time
import traceback
from multiprocessing.connection import Connection

import numpy as np

from ..core.worker_process import WorkerProcess
from .actor import Actor, ActorSettings, State, actor_failure
from .experience_ring import ExperienceRing
from .weights_buffer import WeightsBuffer

__all__ = ["ProcessActor"]

# Between two looks at the queue; an actor that has waited long can wait a part of that longer, and lets the learner
# have the core.
PAUSE_SECONDS, PAUSE_SHARE, LONGEST_PAUSE_SECONDS = 1e-4, 1 / 8, 1e-2


class ProcessActor:
    """A :class:`.HostedActor` in a process of this machine. It makes a round whenever its queue is empty.

    Parameters
    ----------
    number
        Number of the actor.
    settings
        Settings of all actors.
    weights
        Where they come from.
    limit
        Seconds that a round may take.
    """

    def __init__(self, number: int, settings: ActorSettings, weights: WeightsBuffer, limit: float):
        self._number, self._settings, self._weights, self._limit = number, settings, weights, limit
        self._ring = ExperienceRing(settings.record, settings.size)
        self._worker = WorkerProcess(_run_actor, limit)

    @property
    def process_id(self) -> int | None:
        """``None``: it does not run."""
        return None if self._worker.process is None else self._worker.process.pid

    def start(self, seed: tuple[int, ...], state: State | None) -> None:
        """Let it begin, or go on from a state, if it does not run."""
        self._worker.start(self._settings, self._ring, self._weights, self._limit, seed, state)

    def arrived(self) -> bool:
        """Whether the round came, before the actor's end or its limit."""
        until = time.monotonic() + self._limit
        while self._ring.room:
            if self._worker.link.poll():
                self._heard()
                return False
            time.sleep(PAUSE_SECONDS)
            if time.monotonic() >= until:
                return False
        return True

    def records(self) -> np.ndarray:
        """Experience records of the round that arrived."""
        return self._ring.peek(self._settings.size)

    def release(self) -> None:
        """Let it make the next round."""
        self._ring.release(self._ring.available)

    def put(self, records: np.ndarray) -> None:
        """A round that it has made before it starts."""
        self._ring.put(records)

    def state(self) -> State | None:
        """State of an actor whose round arrived; ``None``: it died."""
        try:
            self._worker.link.send("state")
            return self._heard() if self._worker.link.poll(self._limit) else None
        except OSError:
            return None

    def _heard(self) -> State | None:
        """The actor's message; ``None`` if it is dead."""
        try:
            message = self._worker.link.recv()
        except (EOFError, OSError):
            return None
        if isinstance(message, str):
            what, _, details = message.partition("\n")
            raise actor_failure(self._number, what, details)
        return message

    def stop(self) -> str:
        """End it, and drop its round; how it ended."""
        code = self._worker.stop()
        self.release()
        return f"last exit code {code}"

    def close(self) -> None:
        """End it for good."""
        self._worker.stop()
        self._ring.close()


def _run_actor(
    link: Connection,
    settings: ActorSettings,
    ring: ExperienceRing,
    weights: WeightsBuffer,
    limit: float,
    seed: tuple[int, ...],
    state: State | None,
) -> None:
    """Run the actor in its process: whenever the queue is empty it makes a round, until the link to the host ends.

    A message asks for its state; an error is sent as text, and is its last message.
    """
    try:
        actor = Actor(settings, seed, state)
        while True:
            began = time.monotonic()
            while ring.available:
                waited = time.monotonic() - began
                if not _serve(link, actor, min(PAUSE_SECONDS + PAUSE_SHARE * waited, LONGEST_PAUSE_SECONDS)):
                    return
            ring.put(actor.round(*weights.read(limit)))
    except Exception as error:
        _tell(link, f"{type(error).__name__}: {error}\n{traceback.format_exc()}")


def _serve(link: Connection, actor: Actor, pause: float) -> bool:
    """Answer the host if it asks, and wait so many seconds; whether it is there still."""
    try:
        if link.poll():
            link.recv()
            link.send(actor.state())
        # Not as the poll's limit, which would be a whole millisecond.
        time.sleep(pause)
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
