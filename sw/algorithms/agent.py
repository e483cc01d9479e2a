"""Base of agents that learn from an environment step by step: the loop, evaluation, what a training run asks for."""

import dataclasses
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, Self

import gymnasium
import numpy as np

from ..core.checkpoint import lacking, prefixed, under, write_checkpoint
from ..core.environments.environment import Environment
from ..core.environments.film import film_episode
from ..core.hyper_parameters import HyperParameters
from ..core.statistics import numbers_of
from .step_report import StepReport

__all__ = ["Agent"]

logger = logging.getLogger(__name__)

# Evaluation episodes have seeds of their own, the same for every agent.
EVALUATION_SEED = 0x0E7A_0000


class Agent(ABC):
    """Base of agents with the conventions of Stable-Baselines3.

    Parameters
    ----------
    environment
        Environment of training.
    config
        Hyper-parameters, ``seed`` and ``learning_starts`` among them.
    backend
        Where it runs, for people.
    evaluation_env
        Where `evaluate` plays; ``None``: a second environment of the same identifier.

    Members
    -------
    num_timesteps
        Environment steps taken.
    """

    # In its checkpoints.
    name: ClassVar[str]
    unit: ClassVar[str] = "step"
    # Threads of PyTorch with which it learns fastest; None: as many as there are.
    suited_threads: ClassVar[int | None] = None
    config: Any
    hardware: Any
    learner: Any
    replay_buffer: Any

    def __init__(
        self,
        environment: Environment,
        config: HyperParameters,
        backend: str,
        evaluation_env: gymnasium.Env | str | None = None,
    ):
        self.environment, self.config, self.backend = environment, config, backend
        self.num_timesteps = 0
        self._evaluation_env = evaluation_env
        self._evaluation: Environment | None = None
        self._error: float | None = None

    def learn(
        self,
        total_timesteps: int,
        callback: Callable[[Any, dict[str, Any]], bool | None] | None = None,
        progress_bar: bool = False,
    ) -> Self:
        """Takes that many environment steps, in whole rounds, and trains with them once warmed up.

        Parameters
        ----------
        total_timesteps
            Environment steps to take.
        callback
            Called after each step with the agent and a record (``step``, ``reward``; when trained ``error``, the mean
            absolute temporal-difference error; at the end of an episode ``return``, ``length``). ``False`` stops behind
            the round.
        progress_bar
            Whether to show one.
        """
        rounds: Iterable[int] = range(-(-total_timesteps // self.round_size))
        if progress_bar:
            from tqdm import tqdm

            rounds = tqdm(rounds, unit="step" if self.round_size == 1 else f" x {self.round_size} steps")
        for _ in rounds:
            records = self._take_round()
            if callback is not None and False in [callback(self, record) for record in records]:
                break
        return self

    def advance(self) -> list[dict[str, Any]]:
        """A round of environment steps, and what is learned with them; the episodes that ended in it.

        Raises
        ------
        EnvironmentFailure
            The environment failed; everything is as before the step that did.
        """
        return [
            {"kind": "episode", **{name: record[name] for name in ("step", "return", "length")}}
            for record in self._take_round()
            if "return" in record
        ]

    def _take_round(self) -> list[dict[str, Any]]:
        records = self._round()
        self._error = next((record["error"] for record in reversed(records) if "error" in record), None)
        return records

    @property
    def count(self) -> int:
        """Environment steps taken."""
        return self.num_timesteps

    @property
    def evaluates_from(self) -> int:
        """Step until which the policy is the first one."""
        return int(self.config.learning_starts)

    def evaluate_for_record(self, episodes: int, seed: int | None = None) -> dict[str, Any]:
        """The fields ``mean`` and ``returns`` of `evaluate`."""
        return self._outcome(self.evaluate(episodes, seed=seed))

    def baseline(self, episodes: int, seed: int | None = None) -> dict[str, Any]:
        """The same of random actions."""
        return self._outcome(self.evaluate(episodes, random=True, seed=seed))

    @staticmethod
    def _outcome(returns: np.ndarray) -> dict[str, Any]:
        return {"mean": float(returns.mean()), "returns": [float(value) for value in returns]}

    def statistics(self) -> dict[str, float] | None:
        """Statistics of the last gradient step, if it was in the last round: ``error``, the mean absolute
        temporal-difference error, and what the learner says (``loss``, ``q``, the mean value of the batch,
        ``learning_rate``); counts so far, e.g. saturations."""
        if self._error is None:
            return None
        counts = numbers_of(self.counters())
        told = self.learner.statistics() if hasattr(self.learner, "statistics") else {}
        return {"error": self._error, **told, **counts}

    def about(self) -> dict[str, Any]:
        """Its entries in a run's summary."""
        return {
            "algorithm": self.name,
            "backend": self.backend,
            "env": self.environment.name,
            "seed": self.config.seed,
            "config": self.config.to_mapping(),
            "hardware": None if self.hardware is None else dataclasses.asdict(self.hardware),
        }

    def report(self) -> StepReport:
        """Reader of its records."""
        return StepReport(self.about(), getattr(self.config, "quantization_delay", None))

    @property
    def round_size(self) -> int:
        """Environment steps that are taken at a time."""
        return 1

    def evaluate(
        self, episodes: int = 10, *, random: bool = False, seed: int | None = None, steps: int | None = None
    ) -> np.ndarray:
        """Returns of episodes without noise; the same starting states each time, whatever was done before.

        Parameters
        ----------
        episodes
            How many.
        random
            Uniformly random actions in place of the policy's: what there is to be better than.
        seed
            Seed of other starting states.
        steps
            After which an episode is cut off; ``None``: it goes on to its end.
        """
        generator = np.random.default_rng(EVALUATION_SEED if seed is None else seed)

        def random_policy(observation: np.ndarray) -> np.ndarray:
            return self.environment.random_action(generator)

        policy = random_policy if random else self._evaluated_policy(generator)
        return self._returns(policy, episodes, seed, steps, ", random actions" * random)

    def _returns(
        self,
        policy: Callable[[np.ndarray], np.ndarray],
        episodes: int,
        seed: int | None = None,
        steps: int | None = None,
        whose: str = "",
    ) -> np.ndarray:
        """Returns of episodes of any policy. ``whose`` is told beside them; other parameters are as in `evaluate`."""
        environment = self._evaluation_environment()
        first = EVALUATION_SEED if seed is None else seed
        logger.info("%d episodes of evaluation, seeds from %d%s", episodes, first, whose)
        return np.array([environment.run_episode(number, policy, steps) for number in range(first, first + episodes)])

    def _evaluation_environment(self) -> Environment:
        """A second environment, made when it is first needed."""
        if self._evaluation is None:
            env = self._evaluation_env or self.environment.name
            if env is None:
                raise ValueError("The environment is not registered: give an evaluation_env to evaluate in")
            self._evaluation = type(self.environment)(env, 0)
        return self._evaluation

    def evaluation(
        self, episodes: int | None = None, seed: int | None = None, steps: int | None = None
    ) -> dict[str, Any]:
        """``mean`` and ``returns`` of `evaluate`; of 10 episodes, if nobody says how many."""
        return self._outcome(self.evaluate(10 if episodes is None else episodes, seed=seed, steps=steps))

    def film(self, path: Path, seed: int | None = None) -> None:
        """An episode of the policy as an animated GIF.

        Raises
        ------
        ValueError
            The environment does not draw itself, or is not registered.
        """
        if self.environment.name is None:
            raise ValueError("The environment is not registered: it cannot be made anew to be drawn")
        first = EVALUATION_SEED if seed is None else seed
        policy = self._evaluated_policy(np.random.default_rng(first))
        film_episode(path, self.environment.name, type(self.environment), policy, first)

    def describe_evaluation(self, outcome: dict[str, Any]) -> list[str]:
        """Lines that say what `evaluation` came to."""
        returns = np.array(outcome["returns"])
        lines = [f"episode {episode:3}  return {value:10.2f}" for episode, value in enumerate(returns)]
        summary = f"mean {returns.mean():.2f}, standard deviation {returns.std():.2f}, after {self.num_timesteps} steps"
        return [*lines, summary]

    def _checked(self, observation: np.ndarray) -> np.ndarray:
        """An observation, or rows of them, as float32."""
        observation = np.asarray(observation, dtype=np.float32)
        size = self.environment.observation_size
        if observation.shape[-1:] != (size,) or observation.ndim > 2:
            raise ValueError(f"An observation must be a vector of {size} or rows of such, not {observation.shape}")
        return observation

    @abstractmethod
    def _round(self) -> list[dict[str, Any]]:
        """Take `round_size` environment steps and learn with them; the records of both."""

    def _evaluated_policy(self, generator: np.random.Generator) -> Callable[[np.ndarray], np.ndarray]:
        """The policy that is evaluated and filmed: without noise, or, where actions are drawn, from the generator."""
        return self._best_action

    @abstractmethod
    def _best_action(self, observation: np.ndarray) -> np.ndarray:
        """The policy's action without noise, as the environment takes it."""

    @abstractmethod
    def counters(self) -> dict[str, Any]:
        """Counts of cycles, saturations and comparisons."""

    def save(self, path: Path | str) -> None:
        """Writes everything that training depends on into one file; from it, training goes on bit-identically."""
        arrays = prefixed("learner", self.learner.save())
        about: dict[str, Any] = {
            "agent": self.name,
            "backend": self.backend,
            "config": self.config.to_mapping(),
            "hardware": None if self.hardware is None else dataclasses.asdict(self.hardware),
            "configuration_hash": None if self.hardware is None else self.hardware.configuration_hash,
            "env": self.environment.name,
            "num_timesteps": self.num_timesteps,
        }
        for name, part in self._parts().items():
            part_arrays, about[name] = part.state()
            arrays |= prefixed(name, part_arrays)
        write_checkpoint(path, arrays, about | self._own_state())

    def _restore(self, path: Path | str, arrays: dict[str, np.ndarray], about: dict[str, Any]) -> None:
        """Takes on what `save` wrote, which `path` names in errors."""
        try:
            self.learner.load(under("learner", arrays))
            for name, part in self._parts().items():
                part.restore(under(name, arrays), about[name])
            self.num_timesteps = about["num_timesteps"]
            self._restore_own_state(about)
        except KeyError as error:
            raise lacking(path, about, error.args[0]) from error

    def _parts(self) -> dict[str, Any]:
        """Parts whose state a checkpoint holds and restores."""
        return {"replay": self.replay_buffer, "environment": self.environment}

    @abstractmethod
    def _own_state(self) -> dict[str, Any]:
        """Further state in a checkpoint of this agent, as plain numbers and texts."""

    @abstractmethod
    def _restore_own_state(self, about: dict[str, Any]) -> None:
        """Takes on what `_own_state` gave."""

    @abstractmethod
    def close(self) -> None:
        """Lets go of the device."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
