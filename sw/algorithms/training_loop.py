"""Training in rounds: actors, replay and learner at work at the same time."""

import functools
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import cycle
from typing import Any, Protocol, Self

import numpy as np

from ..actors.actor_pool import ActorPool
from .prioritized_replay_buffer import PrioritizedReplayBuffer
from .replay_buffer import Batch

__all__ = ["Learner", "Schedule", "TrainingLoop"]

# What the replay buffer keeps of a record.
EXPERIENCE = ("observation", "action", "reward", "next_observation", "terminated")


Prepared = tuple[Batch | None, np.ndarray | None]


class Learner(Protocol):
    """Parts that a user brings."""

    def train(self, batch: Batch, step: int) -> np.ndarray:
        """A gradient step after that many environment steps; absolute temporal-difference errors, shape (batch,)."""
        ...

    def weights(self) -> Sequence[np.ndarray]:
        """For the actors, float32."""
        ...


class Schedule(Protocol):
    """When and how much is trained, as :class:`.ReplayParameters` says it."""

    @property
    def batch_size(self) -> int: ...
    @property
    def learning_starts(self) -> int: ...
    @property
    def train_freq(self) -> int: ...
    @property
    def gradient_steps(self) -> int: ...
    @property
    def stratified(self) -> bool: ...
    def beta_at(self, step: int) -> float: ...


class TrainingLoop:
    """Gathers experience with the pool, keeps it in the buffer, and trains the learner with it.

    A round: the actors' experiences are taken, the learner's weights published, and the actors make the next round
    while this one is learned from. A thread of its own talks to the buffer. A round with n gradient steps has this
    order, whatever takes how long:

    ================ =============================================== ================
    before step 1    sample batch 1
    during step 1    insert the round's experiences; sample batch 2  train on batch 1
    during step i    update with errors i - 1; sample batch i + 1    train on batch i
    after step n     update with errors n
    ================ =============================================== ================

    Insertions come after sampling; where they took the place of an experience of batch 1, its error is dropped, for the
    priority belongs to another one now (the source's collision-free data collection).

    Parameters
    ----------
    pool : ActorPool
    replay : PrioritizedReplayBuffer
        Empty, and of nobody else's.
    learner : Learner
    schedule : Schedule
    prepare : Callable
        What a sampled batch becomes before the learner gets it, of nothing that gradient steps change.
    overlap : bool
        Whether the buffer works, and batches are prepared, during gradient steps, not before them. In the same order,
        so with the same results.

    Members
    -------
    num_timesteps : int
        Experiences taken from the actors, those of lost episodes included.
    gradient_steps : int
    dropped : int
        Experiences of episodes that were lost with their actor: they are sampled no more.

    Raises
    ------
    ValueError
        A round is larger than the buffer.

    Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, section 4.2.
    """

    def __init__(
        self,
        pool: ActorPool,
        replay: PrioritizedReplayBuffer,
        learner: Learner,
        schedule: Schedule,
        *,
        prepare: Callable[[Batch], Batch] = lambda batch: batch,
        overlap: bool = True,
    ):
        if pool.size > replay.capacity:
            raise ValueError(f"A round must be at most the buffer's {replay.capacity} experiences, not {pool.size}")
        self.pool, self.replay, self.learner, self.schedule = pool, replay, learner, schedule
        self._prepared = prepare
        self.num_timesteps = self.gradient_steps = self.dropped = 0
        # For each environment the experiences of its episode under way, by the number of their insertion.
        self._episodes: list[deque[int]] = [deque(maxlen=replay.capacity) for _ in range(pool.environments)]
        self._thread = ThreadPoolExecutor(1, "replay") if overlap else None

    def run(self, steps: int) -> list[float]:
        """Rounds until there are so many experiences; returns of the episodes that ended, in order.

        Raises
        ------
        ActorError, ValueError
            As of `round`.
        """
        returns: list[float] = []
        while self.num_timesteps < steps:
            records, _ = self.round()
            returns += records["return"][records["ends"]].tolist()
        return returns

    def round(self) -> tuple[np.ndarray, float | None]:
        """A round's records, and the mean error of its gradient steps, if there were any.

        Raises
        ------
        ActorError
            An actor cannot go on.
        ValueError
            Errors that are negative or no numbers; the priorities are those of before.
        """
        gathered = self.pool.round()
        first = self.num_timesteps
        self.num_timesteps += len(gathered.records)
        self.pool.weights.publish(self.num_timesteps, self.learner.weights())
        self.pool.release()
        self._drop(gathered.lost)
        steps = self._due(self.num_timesteps) - self._due(first)
        # In a round after a loss nobody knows whether there is another experience to sample.
        insert_first = not steps or gathered.lost or not len(self.replay)
        if insert_first:
            self._insert(gathered.records)
        return gathered.records, self._train(steps, None if insert_first else gathered.records) if steps else None

    def _due(self, step: int) -> int:
        """Gradient steps up to an environment step."""
        schedule = self.schedule
        trainings = step // schedule.train_freq - schedule.learning_starts // schedule.train_freq
        return max(trainings, 0) * schedule.gradient_steps

    def _train(self, steps: int, records: np.ndarray | None) -> float:
        batch, means, late = self._sample(), [], None
        for step in range(1, steps + 1):
            prepare = functools.partial(self._prepare, late, records, step < steps)
            (following, inserted), errors = self._at_once(prepare, batch)
            late, records = _without(inserted, batch.indices, errors), None
            means.append(float(errors.mean()))
            if following is not None:
                batch = following
        self._update(late)
        self.gradient_steps += steps
        return float(np.mean(means))

    def _at_once(self, prepare: Callable[[], Prepared], batch: Batch) -> tuple[Prepared, np.ndarray]:
        """Work of the buffer during a gradient step, and the step's errors."""
        if self._thread is None:
            return prepare(), self.learner.train(batch, self.num_timesteps)
        ahead = self._thread.submit(prepare)
        try:
            errors = self.learner.train(batch, self.num_timesteps)
        finally:
            # Nothing goes on behind an error's back.
            wait([ahead])
        return ahead.result(), errors

    def _prepare(self, late: Any, records: np.ndarray | None, more: bool) -> Prepared:
        """The next batch, and where the buffer put experiences."""
        self._update(late)
        inserted = None if records is None else self._insert(records)
        return self._sample() if more else None, inserted

    def _sample(self) -> Batch:
        schedule = self.schedule
        beta = schedule.beta_at(self.num_timesteps)
        return self._prepared(self.replay.sample(schedule.batch_size, beta=beta, stratified=schedule.stratified))

    def _update(self, late: tuple[np.ndarray, np.ndarray] | None) -> None:
        if late is not None:
            self.replay.update_priorities(*late)

    def _insert(self, records: np.ndarray) -> np.ndarray:
        first = self.num_timesteps - len(records)
        for number, (episode, ends) in enumerate(zip(cycle(self._episodes), records["ends"], strict=False), first):
            episode.append(number)
            if ends:
                episode.clear()
        return self.replay.add(**{name: records[name] for name in EXPERIENCE})

    def _drop(self, lost: Sequence[int]) -> None:
        """Let nobody sample experiences of episodes that were lost, as far as they have not given way to others."""
        if not lost:
            return
        numbers = [number for environment in lost for number in self._episodes[environment]]
        inserted = self.num_timesteps - self.pool.size
        kept = [number for number in numbers if number >= inserted - self.replay.capacity]
        self.replay.forget(np.array(kept, np.int64) % self.replay.capacity)
        self.dropped += len(kept)
        for environment in lost:
            self._episodes[environment].clear()

    def state(self) -> dict[str, Any]:
        """The loop's own, as plain numbers; pool, buffer and learner have theirs."""
        names = "num_timesteps", "gradient_steps", "dropped"
        return {
            "episodes": [list(episode) for episode in self._episodes],
            **{name: getattr(self, name) for name in names},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Take back what `state` gave."""
        for episode, numbers in zip(self._episodes, state["episodes"], strict=True):
            episode.extend(numbers)
        self.num_timesteps, self.gradient_steps = state["num_timesteps"], state["gradient_steps"]
        self.dropped = state["dropped"]

    def close(self) -> None:
        """End the actors, and the thread; the buffer is its owner's."""
        if self._thread is not None:
            self._thread.shutdown()
        self.pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _without(inserted: np.ndarray | None, indices: np.ndarray, errors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Indices and errors but for those whose places others have taken."""
    if inserted is None:
        return indices, errors
    # For so few faster than `numpy.isin`.
    kept = (indices[:, np.newaxis] != inserted).all(1)
    return indices[kept], errors[kept]
