"""MAAC: several agents that learn from what all of them did, on parallel episodes of an environment."""

import contextlib
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...algorithms.joint_agent import EVALUATION_SEED, JointAgent
from ...algorithms.maac.maac_config import MAACConfig
from ...algorithms.maac.maac_learner import MAACLearner
from ...algorithms.maac.maac_shape import MAACShape
from ...core.backends import require_link
from ...core.checkpoint import backend_of, read_agent, settings_of
from ...core.environments.failure import EnvironmentFailure
from ...core.hardware import resolve_hardware
from ...device.transport import Transport
from .backends import HOST, update_on
from .make_environments import environments_of, make_environments
from .report import MAACReport

__all__ = ["MAAC"]

# Members of a checkpoint besides its arrays.
MEMBERS = ("backend", "config", "env", "hardware", "iterations", "learner", "starts", "task")
# Actions, rows x agents, for observations, rows x agents x elements.
Act = Callable[[np.ndarray], np.ndarray]


class MAAC(JointAgent):
    """Trains a policy for each agent, with critics that attend to what the other agents observed and did.

    An iteration plays ``config.episodes`` episodes side by side, each from its beginning to its end or to the last of
    ``steps``; their experiences go to a replay buffer, and ``config.updates`` updates follow. The host runs the
    environments, acts, and does the policies' backward pass, unless the accelerator does; the backend does the rest of
    an update.

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
        ``"rtl"``: the Verilated RTL. ``"lockstep"``: reference and RTL, every number compared. ``"uart:PORT"``: a
        board.
    hardware
        The accelerator, or whose units the reference has: a preset's name, a YAML file's path, or a
        :class:`.MAACSystemConfig`; ``None``: one for these agents with a unit a layer.
    transport
        For backend ``"transport"``: an open link to the device, over PCIe say; it is closed with the agent.

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

    name = "maac"
    evaluation_episodes = 10

    def __init__(
        self,
        env: Any = "rover-tower",
        config: MAACConfig | None = None,
        *,
        steps: int | None = None,
        backend: str = "torch",
        hardware: Any = None,
        transport: Transport | None = None,
    ):
        require_link(backend, transport)
        self.hardware = None if hardware is None else resolve_hardware(hardware, "maac")
        make_update = update_on(backend, self.hardware, transport=transport)
        self.backend, self.config = backend, config or MAACConfig()
        super().__init__(np.random.default_rng(np.random.SeedSequence([self.config.seed, 1])))
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

    def evaluate(self, episodes: int = 10, *, seed: int | None = None) -> dict[str, float]:
        """Plays episodes with the likeliest actions of the policies as they are; nothing is learned.

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
            ``episodes``, and of them ``return`` and ``length`` as in a record of `learn`.
        """
        return self._evaluate(episodes, seed, self.learner.policies.act_greedily)

    def _evaluate(self, episodes: int, seed: int | None, act: Act) -> dict[str, float]:
        return self._means(episodes, seed, lambda starts: self._play(starts, act)["rewards"])

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

    def iterate(self) -> dict[str, Any]:
        """Plays episodes, remembers them, and updates.

        Returns
        -------
        dict
            ``iteration``; of its episodes ``return`` (the mean over them and their agents) and ``length`` (mean); of
            its updates, as soon as there are any, the means of ``critic_loss``, ``q``, ``policy_loss``, ``entropy`` and
            ``advantage``; where the accelerator updates the policies, entropy is that of the actions drawn.
        """
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

    def _hardware(self) -> dict[str, Any] | None:
        return self.hardware and dataclasses.asdict(self.hardware)

    @property
    def evaluates_from(self) -> int | None:
        """0: the likeliest actions are others than those that iterations draw."""
        return 0

    def baseline(self, episodes: int, seed: int | None = None) -> dict[str, Any]:
        """Evaluate uniformly random actions, with the fields of `evaluate`."""
        generator = np.random.default_rng(EVALUATION_SEED if seed is None else seed)
        counts = self.environment.counts
        return dict(self._evaluate(episodes, seed, lambda rows: generator.integers(0, counts, rows.shape[:2])))

    def report(self) -> MAACReport:
        """The report, which makes sense of its records."""
        return MAACReport(self.about())

    def describe_evaluation(self, outcome: dict[str, Any]) -> list[str]:
        """A line that says what `evaluation` came to."""
        told = f"return {outcome['return']:.2f}, {outcome['length']:.1f} steps"
        return [f"{told}, over {outcome['episodes']} episodes, after {self.iterations} iterations"]

    @classmethod
    def load(
        cls, path: Path | str, env: Any = None, *, backend: str | None = None, transport: Transport | None = None
    ) -> "MAAC":
        """The agent a checkpoint holds, ready to go on.

        Parameters
        ----------
        path
            What `save` wrote.
        env
            ``None``: by the identifier in the checkpoint. One that has none is given, as for the constructor.
        backend
            Another than the checkpoint's: all have the same state.
        transport
            As for the constructor.

        Raises
        ------
        CheckpointError
            The file is damaged, no checkpoint of this agent, or of another environment.
        ValueError
            There is no such backend.
        """
        arrays, about = read_agent(path, cls.name, MEMBERS)
        with settings_of(path):
            config = MAACConfig.from_mapping(about["config"])
            hardware = None if about["hardware"] is None else resolve_hardware(about["hardware"], "maac")
        backend = backend_of(path, about, backend)
        with contextlib.ExitStack() as opened:
            # Closed by the constructor, if that fails.
            episodes = environments_of(path, about, env, config.episodes)
            # PyTorch has no accelerator; what goes on there keeps none.
            built = None if backend in HOST else hardware
            agent = cls(episodes, config, backend=backend, hardware=built, transport=transport)
            opened.callback(agent.close)
            agent._restore(path, arrays, about)
            opened.pop_all()
        return agent
