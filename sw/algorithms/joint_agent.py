"""Base of IC3Net and MAAC: iterations on parallel episodes, their means, and what a training run asks for."""

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ..core.checkpoint import lacking, prefixed, under, write_checkpoint
from ..core.statistics import numbers_of

__all__ = ["EVALUATION_SEED", "JointAgent"]

logger = logging.getLogger(__name__)

# Evaluations have starting states of their own, the same for every agent.
EVALUATION_SEED = 1_000_000


class JointAgent(ABC):
    """Base of agents whose iteration plays parallel episodes to their end, and learns from them.

    Whoever derives from it has ``backend``, ``config``, ``environment`` and ``learner``.

    Parameters
    ----------
    starts
        Where the starting states of episodes come from.

    Members
    -------
    iterations
        Done so far.
    """

    # In its checkpoints.
    name: ClassVar[str]
    unit: ClassVar[str] = "iteration"
    # How sums are split over several changes their last bits.
    suited_threads: ClassVar[int | None] = 1
    # Episodes of an evaluation, if nobody says how many.
    evaluation_episodes: ClassVar[int]
    backend: str
    config: Any
    environment: Any
    learner: Any

    def __init__(self, starts: np.random.Generator):
        self._starts, self.iterations = starts, 0

    @abstractmethod
    def iterate(self) -> dict[str, Any]:
        """An iteration; its record."""

    @abstractmethod
    def evaluate(self, episodes: int, *, seed: int | None = None) -> dict[str, float]:
        """Plays episodes, and learns nothing."""

    def learn(self, iterations: int, callback: Callable[[Any, dict[str, Any]], bool | None] | None = None) -> Self:
        """Does that many iterations.

        Parameters
        ----------
        iterations
            How many.
        callback
            Called after each with the agent and the record of `iterate`. ``False`` stops.
        """
        for _ in range(iterations):
            record = self.iterate()
            if callback is not None and callback(self, record) is False:
                break
        return self

    def _means(
        self, episodes: int, seed: int | None, play: Callable[[np.random.Generator], np.ndarray]
    ) -> dict[str, float]:
        """Means over episodes, and how many they were.

        Parameters
        ----------
        episodes, seed
            As of `evaluate`.
        play
            Plays parallel episodes from starting states; their rewards, steps x episodes x agents.
        """
        first = EVALUATION_SEED if seed is None else seed
        logger.info("%d episodes of evaluation or more, seed %d", episodes, first)
        starts = np.random.default_rng(first)
        rounds = -(-episodes // self.config.episodes)
        outcomes = [self._outcome(play(starts)) for _ in range(rounds)]
        means = {name: float(np.mean([outcome[name] for outcome in outcomes])) for name in outcomes[0]}
        return {"episodes": rounds * self.config.episodes, **means}

    def _outcome(self, rewards: np.ndarray) -> dict[str, float]:
        """How the episodes that were just played ended."""
        return {**self.environment.outcome(), "return": float(rewards.sum(axis=0).mean())}

    def advance(self) -> list[dict[str, Any]]:
        """An iteration; its record."""
        return [{"kind": "iteration", **self.iterate()}]

    @property
    def count(self) -> int:
        """Iterations done."""
        return self.iterations

    def evaluate_for_record(self, episodes: int, seed: int | None = None) -> dict[str, Any]:
        """The same fields as `evaluate`."""
        return dict(self.evaluate(episodes, seed=seed))

    def evaluation(
        self, episodes: int | None = None, seed: int | None = None, steps: int | None = None
    ) -> dict[str, Any]:
        """Evaluate over ``evaluation_episodes`` episodes, unless another number is given.

        Raises
        ------
        ValueError
            Episodes are to be cut off.
        """
        if steps is not None:
            raise ValueError(f"Episodes of {self.name} go on to their end: leave --steps {steps} away")
        return dict(self.evaluate(self.evaluation_episodes if episodes is None else episodes, seed=seed))

    def film(self, path: Path, seed: int | None = None) -> None:
        """Refuses: many episodes are played side by side, and none is drawn."""
        raise ValueError("Episodes that are played side by side do not draw themselves: omit --video")

    def statistics(self) -> dict[str, float] | None:
        """Counts so far; losses are in the records of iterations."""
        return numbers_of(self.counters()) or None

    def counters(self) -> dict[str, Any]:
        """Counters of the learner."""
        return self.learner.counters()

    def about(self) -> dict[str, Any]:
        """Its entries in a run's summary."""
        return {
            "algorithm": self.name,
            "backend": self.backend,
            "env": self.environment.name,
            "task": self.environment.task,
            "seed": self.config.seed,
            "config": self.config.to_mapping(),
            "hardware": self._hardware(),
        }

    def _hardware(self) -> dict[str, Any] | None:
        """The device as plain data, if there is one."""
        return None

    def save(self, path: Path | str) -> None:
        """Writes everything that training depends on into one file; from it, training goes on bit-identically."""
        arrays, learner = self.learner.save()
        about = self.about()
        rest = {
            **{name: about[name] for name in ("backend", "config", "env", "hardware", "task")},
            "agent": self.name,
            "iterations": self.iterations,
            "learner": learner,
            "starts": self._starts.bit_generator.state,
        }
        write_checkpoint(path, prefixed("learner", arrays), rest)

    def _restore(self, path: Path | str, arrays: dict[str, np.ndarray], about: dict[str, Any]) -> None:
        """Goes to where a checkpoint was written.

        Raises
        ------
        CheckpointError
            It lacks something.
        """
        try:
            self.learner.load(under("learner", arrays), about["learner"])
        except KeyError as error:
            raise lacking(path, about, error.args[0]) from error
        self.iterations = about["iterations"]
        self._starts.bit_generator.state = about["starts"]

    def close(self) -> None:
        """Lets go of the device, if there is one, and of the environments."""
        self.learner.close()
        self.environment.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
