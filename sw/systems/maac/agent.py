"""MAAC: several agents that learn from what all of them did, on parallel episodes of an environment."""

import contextlib
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ...algorithms.maac.maac_config import MAACConfig
from ...algorithms.maac.maac_learner import MAACLearner
from ...algorithms.maac.maac_shape import MAACShape
from ...core.checkpoint import backend_of, lacking, prefixed, read_agent, settings_of, under, write_checkpoint
from ...core.environments.failure import EnvironmentFailure
from ...core.statistics import numbers_of
from .backends import update_on
from .make_environments import environments_of, make_environments
from .report import MAACReport

__all__ = ["MAAC"]

logger = logging.getLogger(__name__)

# Seeds the starting states of evaluations.
EVALUATION_SEED = 1_000_000
# What a checkpoint holds beside its arrays.
MEMBERS = ("backend", "config", "env", "iterations", "learner", "starts", "task")
# Actions, rows x agents, for observations, rows x agents x elements.
Act = Callable[[np.ndarray], np.ndarray]


class MAAC:
    """Trains a policy for each agent, with critics that attend to what the other agents observed and did.

    An iteration plays ``config.episodes`` episodes side by side, each from its beginning to its end or to the last of
    ``steps``; their experiences go to a replay buffer, and ``config.updates`` updates follow. The host runs the
    environments, acts, and does the policies' backward pass; the backend does the rest of an update.

    Agents may differ: observations are padded with zeros to the longest, and actions that an agent does not have are
    never drawn and have no value. An agent that ends before its episode does observes zeros from there on, is not paid,
    and nothing follows for it: the others' critics go on attending to it.

    Parameters
    ----------
    env
        ``"rover-tower"``, or a :class:`.RoverTowerConfig`. Or any PettingZoo ``ParallelEnv`` of numbered actions and
        vectors to observe: a function that makes one, or an identifier, ``"module:factory"`` or
        ``"mpe2/simple_spread_v3"``. Or :class:`.JointEnvironments`.
    config
        Hyper-parameters.
    steps
        Time steps after which episodes are cut off; ``None``: the environment's ``max_cycles``.
    backend
        ``"torch"``: PyTorch's autograd. ``"reference"``: NumPy, bit by bit in the order of operations of the cores.

    Members
    -------
    environment
        The episodes, :class:`.JointEnvironments`.
    iterations
        Done so far.
    learner
        What acts and trains.

    Raises
    ------
    TypeError, ValueError
        No such environment, or one of other actions or observations, or of a single agent; no such backend.
    EnvironmentFailure
        In `learn` and `evaluate`: the environment failed. The agent is as it was before that iteration.

    Source: Iqbal, Sha, "Actor-Attention-Critic for Multi-Agent Reinforcement Learning" (2019); Wiggins, Meng, Iyer,
    Prasanna, "A Heterogeneous Acceleration System for Attention-Based Multi-Agent Reinforcement Learning" (2024).
    """

    unit: ClassVar[str] = "iteration"
    # How sums are split over several changes their last bits.
    suited_threads: ClassVar[int | None] = 1

    def __init__(
        self,
        env: Any = "rover-tower",
        config: MAACConfig | None = None,
        *,
        steps: int | None = None,
        backend: str = "torch",
    ):
        make_update = update_on(backend)
        self.backend, self.config = backend, config or MAACConfig()
        self._starts = np.random.default_rng(np.random.SeedSequence([self.config.seed, 1]))
        self.environment = make_environments(env, self.config.episodes, steps)
        with contextlib.ExitStack() as opened:
            opened.callback(self.environment.close)
            shape = MAACShape(
                sizes=self.environment.sizes,
                counts=self.environment.counts,
                hidden_size=self.config.hidden_size,
                heads=self.config.heads,
            )
            self.learner = MAACLearner(shape, self.config, make_update)
            opened.pop_all()
        self.iterations = 0

    def learn(self, iterations: int, callback: Callable[["MAAC", dict[str, Any]], bool | None] | None = None) -> Self:
        """Does that many iterations.

        Parameters
        ----------
        iterations
            How many.
        callback
            Called after each with the agent and a record: ``iteration``; of its episodes ``return`` (the mean over
            them and their agents) and ``length`` (mean); of its updates, as soon as there are any, the means of
            ``critic_loss``, ``q``, ``policy_loss``, ``entropy`` and ``advantage``. ``False`` stops.
        """
        for _ in range(iterations):
            record = self._iterate()
            if callback is not None and callback(self, record) is False:
                break
        return self

    def evaluate(self, episodes: int = 10, *, seed: int | None = None) -> dict[str, float]:
        """Plays episodes with the likeliest actions of the policies as they are; nothing is learned.

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
            ``episodes``, and of them ``return`` and ``length`` as in a record of `learn`.
        """
        return self._means(episodes, seed, self.learner.policies.act_greedily)

    def _means(self, episodes: int, seed: int | None, act: Act) -> dict[str, float]:
        first = EVALUATION_SEED if seed is None else seed
        logger.info("%d episodes of evaluation or more, seed %d", episodes, first)
        starts = np.random.default_rng(first)
        rounds = -(-episodes // self.config.episodes)
        outcomes = [self._outcome(self._play(starts, act)["rewards"]) for _ in range(rounds)]
        means = {name: float(np.mean([outcome[name] for outcome in outcomes])) for name in outcomes[0]}
        return {"episodes": rounds * self.config.episodes, **means}

    def _play(self, starts: np.random.Generator, act: Act) -> dict[str, np.ndarray]:
        """Parallel episodes from their beginning to their end: experiences by name, steps x episodes x agents x ...

        ``playing`` says whether an episode was going on. Where the environment fails, ``starts`` is as before.
        """
        environment, drawn_from = self.environment, starts.bit_generator.state
        steps: list[dict[str, np.ndarray]] = []
        try:
            observations = environment.reset(starts)
            while len(steps) < environment.steps and environment.alive.any():
                playing = np.any(environment.alive, axis=1)
                actions = act(observations)
                following, rewards = environment.step(actions)
                steps.append(
                    {
                        "observations": observations,
                        "actions": actions,
                        "rewards": rewards,
                        "next_observations": following + environment.last_observations,
                        "finished": environment.finished,
                        "playing": playing,
                    }
                )
                observations = following
        except EnvironmentFailure:
            starts.bit_generator.state = drawn_from
            raise
        return {name: np.stack([step[name] for step in steps]) for name in steps[0]}

    def _outcome(self, rewards: np.ndarray) -> dict[str, float]:
        """How the episodes that were just played ended."""
        return {**self.environment.outcome(), "return": float(rewards.sum(axis=0).mean())}

    def _iterate(self) -> dict[str, Any]:
        drawn = self.learner.drawn()
        try:
            played = self._play(self._starts, self.learner.act)
        except EnvironmentFailure:
            self.learner.rewind(drawn)
            raise
        playing = played.pop("playing")
        self.learner.remember(**{name: values[playing] for name, values in played.items()})
        report = self.learner.learn()
        self.iterations += 1
        return {"iteration": self.iterations, **self._outcome(played["rewards"]), **report}

    def advance(self) -> list[dict[str, Any]]:
        """An iteration; its record."""
        return [{"kind": "iteration", **self._iterate()}]

    @property
    def count(self) -> int:
        """Iterations done."""
        return self.iterations

    @property
    def evaluates_from(self) -> int | None:
        """0: the likeliest actions are others than those that iterations draw."""
        return 0

    def evaluate_for_record(self, episodes: int, seed: int | None = None) -> dict[str, Any]:
        """As `evaluate`."""
        return dict(self.evaluate(episodes, seed=seed))

    def baseline(self, episodes: int, seed: int | None = None) -> dict[str, Any]:
        """As `evaluate`, of actions drawn uniformly."""
        generator = np.random.default_rng(EVALUATION_SEED if seed is None else seed)
        return dict(
            self._means(episodes, seed, lambda rows: generator.integers(0, self.environment.counts, rows.shape[:2]))
        )

    def statistics(self) -> dict[str, float] | None:
        """What was counted so far; losses are in the records of iterations."""
        return numbers_of(self.counters()) or None

    def counters(self) -> dict[str, Any]:
        """What the learner counted."""
        return self.learner.counters()

    def about(self) -> dict[str, Any]:
        """What a run's summary says of it."""
        return {
            "algorithm": "maac",
            "backend": self.backend,
            "env": self.environment.name,
            "task": self.environment.task,
            "seed": self.config.seed,
            "config": self.config.to_mapping(),
            "hardware": None,
        }

    def report(self) -> MAACReport:
        """What makes sense of its records."""
        return MAACReport(self.about())

    def evaluation(self, episodes: int | None = None, seed: int | None = None) -> dict[str, Any]:
        """As `evaluate`."""
        return dict(self.evaluate(10 if episodes is None else episodes, seed=seed))

    def film(self, path: Path, seed: int | None = None) -> None:
        """Refuses: many episodes are played side by side, and none is drawn."""
        raise ValueError("Episodes that are played side by side do not draw themselves: leave --video away")

    def describe_evaluation(self, outcome: dict[str, Any]) -> list[str]:
        """A line that says what `evaluation` came to."""
        told = f"return {outcome['return']:.2f}, {outcome['length']:.1f} steps"
        return [f"{told}, over {outcome['episodes']} episodes, after {self.iterations} iterations"]

    def save(self, path: Path | str) -> None:
        """Writes everything that training depends on into one file; from it, training goes on bit-identically."""
        arrays, learner = self.learner.save()
        rest = {
            "agent": "maac",
            "backend": self.backend,
            "config": self.config.to_mapping(),
            "env": self.environment.name,
            "iterations": self.iterations,
            "learner": learner,
            "starts": self._starts.bit_generator.state,
            "task": self.environment.task,
        }
        write_checkpoint(path, prefixed("learner", arrays), rest)

    @classmethod
    def load(cls, path: Path | str, env: Any = None, *, backend: str | None = None) -> "MAAC":
        """The agent a checkpoint holds, ready to go on.

        Parameters
        ----------
        path
            What `save` wrote.
        env
            ``None``: by the identifier in the checkpoint. One that has none is given, as for the constructor.
        backend
            Another than the checkpoint's.

        Raises
        ------
        CheckpointError
            The file is damaged, no checkpoint of this agent, or of another environment.
        ValueError
            There is no such backend.
        """
        arrays, about = read_agent(path, "maac", MEMBERS)
        with settings_of(path):
            config = MAACConfig.from_mapping(about["config"])
        backend = backend_of(path, about, backend)
        with contextlib.ExitStack() as opened:
            # Closed by the constructor, if that fails.
            agent = cls(environments_of(path, about, env, config.episodes), config, backend=backend)
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
        """Lets go of the backend and of the environments."""
        self.learner.close()
        self.environment.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
