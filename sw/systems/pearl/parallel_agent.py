"""Agents whose experience is gathered by actors, in processes or on Ray, while the learner learns."""

from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np

from ....hw.cores.checks import require_integer
from ...actors.actor_pool import ActorPool
from ...algorithms.prioritized_replay_buffer import Batch
from ...algorithms.replay_parameters import ReplayParameters
from ...algorithms.training_loop import TrainingLoop
from .replay_agent import Networks, ReplayAgent

__all__ = ["ParallelAgent"]


class ParallelAgent(ReplayAgent):
    """An algorithm in rounds of :class:`.TrainingLoop`, with the same learner and replay as without actors.

    A round has as many steps as lie between two trainings, one in each environment at least. Weights of actors are
    those from before the round that is learned from; batches are drawn a gradient step ahead.
    What comes out depends on the seed and the numbers of actors and environments alone, not on where actors run, and
    training goes on from a checkpoint with the same bits, unless an actor is lost.

    Parameters
    ----------
    env
        Identifier of a registered environment, or a function of a module that makes one.
    config
        As of :class:`.ReplayAgent`.
    actors, environments
        Processes, and environments of each.
    actors_on
        As of :class:`.ActorPool`.
    limit
        Seconds that a round of an actor may take, the start of its process included.
    **settings
        What else the algorithm's agent takes: ``hardware``, ``backend``, ``learner`` if there is one in hardware.

    Raises
    ------
    TypeError, ValueError
        A parameter out of its range; an environment or a backend that there is not.
    ActorError
        In `learn`: an actor cannot go on.
    """

    SETTINGS: ClassVar[tuple[str, ...]] = ("actors", "environments", "actors_on")

    def __init__(
        self,
        env: str | Callable[[], gymnasium.Env],
        config: ReplayParameters | None = None,
        *,
        actors: int = 1,
        environments: int = 8,
        actors_on: str = "processes",
        limit: float = 60.0,
        **settings: Any,
    ):
        require_integer("Number of actors", actors, 1)
        require_integer("Number of environments", environments, 1)
        super().__init__(env if isinstance(env, str) else env(), config, **settings)
        self.actors, self.environments, self.actors_on = actors, environments, actors_on
        self.pool = ActorPool(
            env,
            self.kind,
            self.policy,
            self.learner.weights(),
            actors=actors,
            environments=environments,
            steps=max(self.config.train_freq // (actors * environments), 1),
            seed=self.config.seed,
            limit=limit,
            actors_on=actors_on,
        )
        self._loop = TrainingLoop(
            self.pool,
            self.replay_buffer,
            _CountedLearner(self.learner, lambda: self._count("step_cycles")),
            self.config,
            prepare=self.learner.prepare,
            overlap=self._overlaps(),
        )

    @property
    def round_size(self) -> int:
        """Environment steps of a round of all actors."""
        return self.pool.size

    def _round(self) -> list[dict[str, Any]]:
        first = self.num_timesteps
        rows, error = self._loop.round()
        self.num_timesteps = self._loop.num_timesteps
        self._end_round(first)
        records: list[dict[str, Any]] = [
            {"step": step, "reward": reward} for step, reward in enumerate(rows["reward"].tolist(), first + 1)
        ]
        for number in np.flatnonzero(rows["ends"]):
            row = rows[number]
            records[number] |= {"return": float(row["return"]), "length": int(row["length"])}
        if error is not None:
            records[-1]["error"] = error
        return records

    def _overlaps(self) -> bool:
        """Whether a thread more pays: the reference needs Python's lock, as the learner does."""
        return self.backend != "reference"

    def _end_round(self, first: int) -> None:
        """What is done behind a round that began after environment step ``first``."""

    def counters(self) -> dict[str, Any]:
        """Gradient steps, actors that were started again, experiences dropped with them, and comparisons."""
        own = {"restarts": self.pool.restarts, "dropped": self._loop.dropped}
        return super().counters() | {"gradient_steps": self._loop.gradient_steps} | own

    def _parts(self) -> dict[str, Any]:
        return {"replay": self.replay_buffer, "environment": self.pool}

    def _own_state(self) -> dict[str, Any]:
        settings = {name: getattr(self, name) for name in ParallelAgent.SETTINGS}
        return super()._own_state() | settings | {"loop": self._loop.state()}

    def _restore_own_state(self, about: dict[str, Any]) -> None:
        super()._restore_own_state(about)
        self._loop.restore(about["loop"])

    def close(self) -> None:
        """Ends the actors, and lets go of the device."""
        self._loop.close()
        super().close()


class _CountedLearner:
    """A learner each of whose gradient steps is counted.

    Parameters
    ----------
    learner
        Whose they are.
    count
        Called behind each.
    """

    def __init__(self, learner: Networks, count: Callable[[], None]):
        self._learner, self._counted = learner, count
        self.weights = learner.weights

    def train(self, batch: Batch, step: int) -> np.ndarray:
        """The learner's step."""
        errors = self._learner.train(batch, step)
        self._counted()
        return errors
