"""IC3Net: agents that learn with what and when to talk, on parallel episodes of Predator-Prey."""

import contextlib
import dataclasses
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ...algorithms.ic3net.ic3net_config import IC3NetConfig
from ...core.checkpoint import backend_of, lacking, prefixed, read_agent, settings_of, under, write_checkpoint
from ...core.environments.predator_prey import ACTIONS
from ...core.environments.predator_prey_batch import PredatorPreyBatch
from ...core.environments.predator_prey_config import LEVELS, PredatorPreyConfig
from ...core.hardware import resolve_hardware
from ...core.statistics import numbers_of
from ...device.transport import Transport
from .ic3net_learner import PYTORCH, IC3NetLearner, make_learner
from .report import IC3NetReport

__all__ = ["IC3Net"]

logger = logging.getLogger(__name__)

# Of the starting states of evaluations.
EVALUATION_SEED = 1_000_000
# What a checkpoint holds beside its arrays.
MEMBERS = ("backend", "config", "iterations", "learner", "starts", "task")


class IC3Net:
    """Trains one network for all predators by REINFORCE with a value as the baseline.

    An iteration plays ``config.episodes`` episodes side by side, all of the task's length, and ends with one update.
    The host runs the environments and adds up the returns; the learner makes masks, acts, and updates.

    Parameters
    ----------
    task
        The task, or a level's name: ``"easy"``, ``"medium"``, ``"hard"``.
    config
        Hyper-parameters.
    backend
        ``"torch"``: PyTorch's autograd. ``"blocks"``: the same but for the order of sums, faster. ``"reference"``:
        LearningGroup, to the bit, in NumPy. ``"rtl"``: its Verilated RTL. ``"lockstep"``: the reference, and the RTL
        beside it, compared. Or a board, as ``"uart:/dev/ttyUSB0"``.
    hardware
        The device: `LearningGroupHardware`, the mapping of its fields, a preset's name (default ``"paper"``) or a YAML
        file's path. PyTorch needs none.
    lockstep_every
        Iterations from one comparison to the next.
    transport
        Of backend ``"transport"``: an open link to the device, over PCIe say; it is closed with the agent.

    Members
    -------
    iterations
        Done so far.
    learner
        What acts and trains.

    Raises
    ------
    ValueError
        No such level, or no such backend.
    """

    unit: ClassVar[str] = "iteration"
    suited_threads: ClassVar[int | None] = 1

    def __init__(
        self,
        task: PredatorPreyConfig | str = "easy",
        config: IC3NetConfig | None = None,
        *,
        backend: str = "torch",
        hardware: Any = None,
        lockstep_every: int = 100,
        transport: Transport | None = None,
    ):
        if isinstance(task, str):
            if task not in LEVELS:
                raise ValueError(f"Level must be {', '.join(LEVELS)}, not {task!r}")
            task = LEVELS[task]
        self.task, self.backend = task, backend
        self.hardware = None if backend in PYTORCH else resolve_hardware(hardware or "paper", "learninggroup")
        self.config = config or IC3NetConfig()
        starts, learner = np.random.SeedSequence(self.config.seed).spawn(2)
        self._starts = np.random.default_rng(starts)
        self.environment = PredatorPreyBatch(task, self.config.episodes)
        sizes = task.observation_size, len(ACTIONS), task.predators
        self.learner: IC3NetLearner = make_learner(
            backend, self.hardware, *sizes, self.config, np.random.default_rng(learner),
            steps=task.steps, lockstep_every=lockstep_every, transport=transport,
        )  # fmt: skip
        self.iterations = 0

    def learn(self, iterations: int, callback: Callable[["IC3Net", dict[str, Any]], bool | None] | None = None):
        """Does that many iterations.

        Parameters
        ----------
        iterations
            How many.
        callback
            Called after each with the agent and a record: ``iteration``; of its episodes ``success`` (the share in
            which all predators were on the prey at the end), ``arrived`` (the share of predators), ``return`` (mean);
            ``sparsity``, and what the learner reports. ``False`` stops.
        """
        for _ in range(iterations):
            record = self._iterate()
            if callback is not None and callback(self, record) is False:
                break
        return self

    def evaluate(self, episodes: int = 100, *, seed: int | None = None) -> dict[str, float]:
        """Plays episodes with the policy as it is: movements are drawn, nothing is learned.

        The same starting states each time; the agent goes on afterwards as if it had not been asked.

        Parameters
        ----------
        episodes
            How many at the least: they are played ``config.episodes`` at a time.
        seed
            Of other starting states.

        Returns
        -------
        dict
            ``episodes``, and of them ``success``, ``arrived`` and ``return`` as in a record of `learn`.
        """
        state = self.learner.save()
        first = EVALUATION_SEED if seed is None else seed
        logger.info("%d episodes of evaluation or more, seed %d", episodes, first)
        starts = np.random.default_rng(first)
        outcomes = []
        for _ in range(-(-episodes // self.config.episodes)):
            rewards, _ = self._play(starts)
            outcomes.append(self._outcome(rewards))
        self.learner.load(*state)
        means = {name: float(np.mean([outcome[name] for outcome in outcomes])) for name in outcomes[0]}
        return {"episodes": len(outcomes) * self.config.episodes, **means}

    def advance(self) -> list[dict[str, Any]]:
        """An iteration; its record."""
        return [{"kind": "iteration", **self._iterate()}]

    @property
    def count(self) -> int:
        """Iterations done."""
        return self.iterations

    @property
    def evaluates_from(self) -> int | None:
        """None: records of iterations say how their episodes ended."""
        return None

    def evaluate_for_record(self, episodes: int) -> dict[str, Any]:
        """As `evaluate`."""
        return dict(self.evaluate(episodes))

    def baseline(self, episodes: int) -> None:
        """There is none."""

    def statistics(self) -> dict[str, float] | None:
        """What was counted so far; losses are in the records of iterations."""
        return numbers_of(self.counters()) or None

    def counters(self) -> dict[str, Any]:
        """What the learner counted."""
        return self.learner.counters()

    def about(self) -> dict[str, Any]:
        """What a run's summary says of it."""
        return {
            "algorithm": "ic3net",
            "backend": self.backend,
            "env": "predator-prey",
            "task": dataclasses.asdict(self.task),
            "seed": self.config.seed,
            "config": self.config.to_mapping(),
            "hardware": self.hardware and dataclasses.asdict(self.hardware),
        }

    def report(self) -> IC3NetReport:
        """What makes sense of its records."""
        return IC3NetReport(self.about())

    def evaluation(self, episodes: int | None = None, seed: int | None = None) -> dict[str, Any]:
        """As `evaluate`; of 100 episodes, if nobody says how many."""
        return dict(self.evaluate(100 if episodes is None else episodes, seed=seed))

    def film(self, path: Path, seed: int | None = None) -> None:
        """Refuses: many episodes are played side by side, and none is drawn."""
        raise ValueError("Predator-Prey does not draw itself: leave --video away")

    def describe_evaluation(self, outcome: dict[str, Any]) -> list[str]:
        """A line that says what `evaluation` came to."""
        success, arrived = 100 * outcome["success"], 100 * outcome["arrived"]
        return [
            f"success {success:.1f} %, arrived {arrived:.1f} % of the predators, return {outcome['return']:.2f}, "
            f"over {outcome['episodes']} episodes, after {self.iterations} iterations"
        ]

    def _play(self, starts: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Parallel episodes from grouping to their end: rewards, and which were still going on at each step."""
        environment, learner = self.environment, self.learner
        observations = environment.reset(environment.draw(starts))
        learner.begin()
        steps = range(self.task.steps)
        rewards = np.zeros((len(steps), self.config.episodes, self.task.predators))
        active = np.zeros((len(steps), self.config.episodes), bool)
        for step in steps:
            active[step] = environment.active
            observations, rewards[step] = environment.step(learner.step(observations))
        return rewards, active

    def _outcome(self, rewards: np.ndarray) -> dict[str, float]:
        """How the episodes that were just played ended."""
        return {
            "success": float(self.environment.success.mean()),
            "arrived": float(self.environment.arrived.mean()),
            "return": float(rewards.sum(axis=0).mean()),
        }

    def _iterate(self) -> dict[str, Any]:
        rewards, active = self._play(self._starts)
        sparsity = self.learner.sparsity()
        returns = np.zeros_like(rewards)
        following = np.zeros_like(rewards[0])
        for step in reversed(range(len(rewards))):
            following = returns[step] = rewards[step] + self.config.gamma * following
        report = self.learner.update(returns, active)
        self.iterations += 1
        return {"iteration": self.iterations, **self._outcome(rewards), "sparsity": sparsity, **report}

    def save(self, path: Path | str) -> None:
        """Writes everything that training depends on into one file; from it, training goes on bit-identically."""
        arrays, learner = self.learner.save()
        rest = {
            "agent": "ic3net",
            "backend": self.backend,
            "config": self.config.to_mapping(),
            "hardware": self.hardware and dataclasses.asdict(self.hardware),
            "iterations": self.iterations,
            "learner": learner,
            "starts": self._starts.bit_generator.state,
            "task": dataclasses.asdict(self.task),
        }
        write_checkpoint(path, prefixed("learner", arrays), rest)

    @classmethod
    def load(
        cls,
        path: Path | str,
        *,
        backend: str | None = None,
        lockstep_every: int = 100,
        transport: Transport | None = None,
    ) -> "IC3Net":
        """The agent a checkpoint holds, ready to go on.

        Parameters
        ----------
        path
            What `save` wrote.
        backend
            Another than the checkpoint's: device, reference and lockstep have the same state.
        lockstep_every
            Iterations from one comparison to the next.
        transport
            As for the constructor.

        Raises
        ------
        CheckpointError
            The file is damaged, or no checkpoint of this agent.
        ValueError
            The backend has another kind of state.
        """
        arrays, about = read_agent(path, "ic3net", MEMBERS)
        with settings_of(path):
            task, config = PredatorPreyConfig(**about["task"]), IC3NetConfig.from_mapping(about["config"])
            hardware = None if about["hardware"] is None else resolve_hardware(about["hardware"], "learninggroup")
        backend = backend_of(path, about, backend)
        if (backend in PYTORCH or about["backend"] in PYTORCH) and backend != about["backend"]:
            raise ValueError(f"{path} is of backend {about['backend']}, which {backend} cannot go on with")
        every = lockstep_every
        with contextlib.ExitStack() as opened:
            agent = cls(task, config, backend=backend, hardware=hardware, lockstep_every=every, transport=transport)
            opened.callback(agent.close)
            try:
                agent.learner.load(under("learner", arrays), about["learner"])
            except KeyError as error:
                raise lacking(path, about, error.args[0]) from error
            agent.iterations = about["iterations"]
            agent._starts.bit_generator.state = about["starts"]
            opened.pop_all()
        return agent

    def close(self) -> None:
        """Lets go of the device."""
        self.learner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
