"""Training with actors, in processes or on Ray: rounds of experience while the learner learns."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..actors.actor_pool import ActorPool
from .prioritized_replay_buffer import PrioritizedReplayBuffer
from .replay_buffer import Batch
from .training_loop import Schedule, TrainingLoop

__all__ = ["InRounds"]


class InRounds:
    """A :class:`.TrainingLoop` seen as :class:`.InTurn` is: rounds and their records.

    A round has as many steps as lie between two trainings, one in each environment at least. Weights of actors are
    those from before the round that is learned from; batches are drawn a gradient step ahead.
    The results depend on the seed and the numbers of actors and environments alone, not on where actors run, and
    training goes on from a checkpoint with the same bits, unless an actor is lost.

    Parameters
    ----------
    pool
        The actors.
    replay
        Empty, and of nobody else's.
    learner
        With ``prepare``, of a batch before a gradient step, and ``weights``.
    schedule
        When and how much is trained.
    overlap
        Whether the buffer works during gradient steps, in a thread.
    after_step
        Called after each round with the number of steps before it and with it.
    counted
        Called after each gradient step with ``step_cycles``.
    """

    def __init__(
        self,
        pool: ActorPool,
        replay: PrioritizedReplayBuffer,
        learner: Any,
        schedule: Schedule,
        *,
        overlap: bool,
        after_step: Callable[[int, int], None],
        counted: Callable[[str], None],
    ):
        self.pool, self._after_step = pool, after_step
        self._loop = TrainingLoop(
            pool, replay, _CountedLearner(learner, counted), schedule, prepare=learner.prepare, overlap=overlap
        )

    @property
    def size(self) -> int:
        """Environment steps of a round of all actors."""
        return self.pool.size

    @property
    def num_timesteps(self) -> int:
        """Environment steps taken so far."""
        return self._loop.num_timesteps

    def round(self) -> list[dict[str, Any]]:
        """A round, and what is learned meanwhile; a record for each environment step.

        Raises
        ------
        ActorError
            An actor cannot go on.
        ValueError
            Errors that are negative or no numbers; the priorities are those of before.
        """
        first = self._loop.num_timesteps
        rows, error = self._loop.round()
        self._after_step(first, self._loop.num_timesteps)
        records: list[dict[str, Any]] = [
            {"step": step, "reward": reward} for step, reward in enumerate(rows["reward"].tolist(), first + 1)
        ]
        for number in np.flatnonzero(rows["ends"]):
            row = rows[number]
            records[number] |= {"return": float(row["return"]), "length": int(row["length"])}
        if error is not None:
            records[-1]["error"] = error
        return records

    def part(self) -> ActorPool:
        """The part whose state a checkpoint holds: the actors' episodes under way."""
        return self.pool

    def counters(self) -> dict[str, int]:
        """Actors that were started again, experiences dropped with them."""
        return {"restarts": self.pool.restarts, "dropped": self._loop.dropped}

    def state(self) -> dict[str, Any]:
        """The loop's own, as plain numbers; actors, buffer and learner have theirs."""
        return self._loop.state()

    def restore(self, state: dict[str, Any]) -> None:
        """Take back what `state` gave."""
        self._loop.restore(state)

    def close(self) -> None:
        """End the actors, and the thread."""
        self._loop.close()


class _CountedLearner:
    """A learner each of whose gradient steps is counted."""

    def __init__(self, learner: Any, counted: Callable[[str], None]):
        self._learner, self._counted = learner, counted
        self.weights = learner.weights

    def train(self, batch: Batch, step: int) -> np.ndarray:
        """The learner's step."""
        errors: np.ndarray = self._learner.train(batch, step)
        self._counted("step_cycles")
        return errors
