"""IC3Net: agents that learn with what and when to talk, on parallel episodes of an environment with several."""

import contextlib
import dataclasses
from pathlib import Path
from typing import Any

import numpy as np

from ...algorithms.ic3net.ic3net_config import IC3NetConfig
from ...algorithms.joint_agent import JointAgent
from ...core.checkpoint import backend_of, read_agent, settings_of
from ...core.environments.episode_batch import EpisodeBatch
from ...core.environments.failure import EnvironmentFailure
from ...core.hardware import resolve_hardware
from ...device.transport import Transport
from .ic3net_learner import PYTORCH, IC3NetLearner, make_learner
from .make_episodes import episodes_of, make_episodes
from .report import IC3NetReport

__all__ = ["IC3Net"]

# Members of a checkpoint besides its arrays.
MEMBERS = ("backend", "config", "iterations", "learner", "starts", "task")


class IC3Net(JointAgent):
    """Trains one network for all agents of an environment by REINFORCE with a value as the baseline.

    An iteration plays ``config.episodes`` episodes side by side, each from its beginning to its end or to the last of
    ``steps``, and ends with one update. The host runs the environments and adds up the returns; the learner makes
    masks, acts, and updates. An agent that ends before its episode does learns nothing from there on; it has zeros to
    observe, and the others may still hear it, for the accelerator takes the mean over all.

    Parameters
    ----------
    env
        A task of Predator-Prey, `PredatorPreyConfig` or a level's name: ``"easy"``, ``"medium"``, ``"hard"``. Or any
        PettingZoo ``ParallelEnv`` as :class:`.ParallelEnvironments` takes it: a function that makes one, or an
        identifier, ``"module:factory"`` or ``"mpe2/simple_spread_v3"``. Or an :class:`.EpisodeBatch`.
    config
        Hyper-parameters.
    steps
        Time steps after which episodes of a PettingZoo environment are cut off; ``None``: its ``max_cycles``.
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
        For backend ``"transport"``: an open link to the device, over PCIe say; it is closed with the agent.

    Members
    -------
    environment
        The episodes, an :class:`.EpisodeBatch`.
    iterations
        Done so far.
    learner
        What acts and trains.

    Raises
    ------
    TypeError, ValueError
        No such environment, or one of other actions or observations; sizes that the device does not hold; no such
        backend.
    EnvironmentFailure
        In `learn` and `evaluate`: the environment failed. The agent is as it was before that iteration.
    """

    name = "ic3net"
    evaluation_episodes = 100

    def __init__(
        self,
        env: Any = "easy",
        config: IC3NetConfig | None = None,
        *,
        steps: int | None = None,
        backend: str = "torch",
        hardware: Any = None,
        lockstep_every: int = 100,
        transport: Transport | None = None,
    ):
        self.backend = backend
        self.hardware = None if backend in PYTORCH else resolve_hardware(hardware or "paper", "learninggroup")
        self.config = config or IC3NetConfig()
        starts, learner = np.random.SeedSequence(self.config.seed).spawn(2)
        super().__init__(np.random.default_rng(starts))
        self.environment: EpisodeBatch = make_episodes(env, self.config.episodes, steps)
        with contextlib.ExitStack() as opened:
            opened.callback(self.environment.close)
            sizes = self.environment.observation_size, self.environment.actions, self.environment.agents
            self.learner: IC3NetLearner = make_learner(
                backend, self.hardware, *sizes, self.config, np.random.default_rng(learner),
                steps=self.environment.steps, lockstep_every=lockstep_every, transport=transport,
            )  # fmt: skip
            opened.pop_all()

    def evaluate(self, episodes: int = 100, *, seed: int | None = None) -> dict[str, float]:
        """Plays episodes with the policy as it is: movements are drawn, nothing is learned.

        The same starting states each time; the agent goes on afterwards as if it had not been asked.

        Parameters
        ----------
        episodes
            How many at the least: they are played ``config.episodes`` at a time.
        seed
            Seed of other starting states.

        Returns
        -------
        dict
            ``episodes``, and of them ``return`` and the like as in a record of `learn`.
        """
        state = self.learner.save()
        try:
            return self._means(episodes, seed, lambda starts: self._play(starts)[0])
        finally:
            self.learner.load(*state)

    @property
    def evaluates_from(self) -> int | None:
        """None: records of iterations say how their episodes ended."""
        return None

    def baseline(self, episodes: int, seed: int | None = None) -> None:
        """There is none."""

    def _hardware(self) -> dict[str, Any] | None:
        return self.hardware and dataclasses.asdict(self.hardware)

    def report(self) -> IC3NetReport:
        """The report, which makes sense of its records."""
        return IC3NetReport(self.about())

    def describe_evaluation(self, outcome: dict[str, Any]) -> list[str]:
        """A line that says what `evaluation` came to."""
        told = f"return {outcome['return']:.2f}"
        if "success" in outcome:
            shares = 100 * outcome["success"], 100 * outcome["arrived"]
            told = f"success {shares[0]:.1f} %, arrived {shares[1]:.1f} % of the predators, {told}"
        if "length" in outcome:
            told += f", {outcome['length']:.1f} steps"
        return [f"{told}, over {outcome['episodes']} episodes, after {self.iterations} iterations"]

    def _play(self, starts: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Parallel episodes from grouping to their end: rewards, and who acted at each step.

        Where the environment fails, what was drawn is taken back, so that a checkpoint is that of the iteration before.
        """
        environment, learner, drawn_from = self.environment, self.learner, starts.bit_generator.state
        rewards = np.zeros((environment.steps, environment.episodes, environment.agents))
        alive = np.zeros(rewards.shape, bool)
        learner.begin()
        try:
            observations = environment.reset(starts)
            for step in range(environment.steps):
                alive[step] = environment.alive
                observations, rewards[step] = environment.step(learner.step(observations))
        except EnvironmentFailure:
            learner.rewind()
            starts.bit_generator.state = drawn_from
            raise
        return rewards, alive

    def iterate(self) -> dict[str, Any]:
        """Plays episodes and updates.

        Returns
        -------
        dict
            ``iteration``; of its episodes ``return`` (the mean over them and their agents), of Predator-Prey
            ``success`` (the share in which all predators were on the prey at the end) and ``arrived`` (the share of
            predators), of other environments ``length`` (mean); ``sparsity``, and what the learner reports.
        """
        rewards, alive = self._play(self._starts)
        sparsity = self.learner.sparsity()
        returns = np.zeros_like(rewards)
        following = np.zeros_like(rewards[0])
        for step in reversed(range(len(rewards))):
            following = returns[step] = rewards[step] + self.config.gamma * following
        report = self.learner.update(returns, alive)
        self.iterations += 1
        return {"iteration": self.iterations, **self._outcome(rewards), "sparsity": sparsity, **report}

    @classmethod
    def load(
        cls,
        path: Path | str,
        env: Any = None,
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
        env
            ``None``: by the identifier in the checkpoint. One that has none is given, as for the constructor.
        backend
            Another than the checkpoint's: device, reference and lockstep have the same state.
        lockstep_every
            Iterations from one comparison to the next.
        transport
            As for the constructor.

        Raises
        ------
        CheckpointError
            The file is damaged, no checkpoint of this agent, or of another environment.
        ValueError
            The backend has another kind of state.
        """
        arrays, about = read_agent(path, cls.name, MEMBERS)
        with settings_of(path):
            config = IC3NetConfig.from_mapping(about["config"])
            hardware = None if about["hardware"] is None else resolve_hardware(about["hardware"], "learninggroup")
        backend = backend_of(path, about, backend)
        if (backend in PYTORCH or about["backend"] in PYTORCH) and backend != about["backend"]:
            raise ValueError(f"{path} is of backend {about['backend']}, which {backend} cannot go on with")
        every = lockstep_every
        with contextlib.ExitStack() as opened:
            # Closed by the constructor, if that fails.
            episodes = episodes_of(path, about, env, config.episodes)
            agent = cls(episodes, config, backend=backend, hardware=hardware, lockstep_every=every, transport=transport)
            opened.callback(agent.close)
            agent._restore(path, arrays, about)
            opened.pop_all()
        return agent
