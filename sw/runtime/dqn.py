"""DQN with prioritised replay on PEARL's replay manager, to the conventions of Stable-Baselines3."""

import dataclasses
from pathlib import Path
from typing import Any, ClassVar, Self

import gymnasium
import numpy as np

from ...hw.soc.pearl.config import PearlConfig
from ...hw.soc.pearl.learner_config import PearlLearnerConfig
from ..agents.agent import Agent
from ..agents.checkpoint import environment_of, read_agent, require_configuration
from ..agents.environment import DiscreteEnvironment, identifier_of
from ..agents.hardware import resolve_hardware
from ..agents.lockstep import Comparison
from ..device.learner_backends import DeviceLearner, LearnerBackend, ReferenceLearner, open_learner
from ..device.replay import ReplayDevice
from ..device.replay_backends import DeviceSumTree, ReferenceSumTree, SumTreeBackend, open_sum_tree
from .device_q_learner import DeviceQLearner, require_suitable
from .dqn_config import DQNConfig, suited_to
from .lockstep_learner import LockstepLearner
from .lockstep_sum_tree import LockstepSumTree
from .prioritized_replay_buffer import PrioritizedReplayBuffer
from .q_learner import QLearner

__all__ = ["DQN"]

# What a checkpoint holds beside its arrays.
MEMBERS = (
    "backend", "comparisons", "config", "configuration_hash", "env", "environment", "exploration", "hardware",
    "learner", "num_timesteps", "replay", "tally",
)  # fmt: skip
COUNTED = ("gradient_steps", "sample_cycles", "update_cycles", "step_cycles")


class DQN(Agent):
    """Deep Q-network whose experiences are drawn by the replay manager, its bit-exact reference, or both.

    The host runs the environment; the sum tree is where ``backend`` says, and so is the learner if there is one in
    hardware. Otherwise the networks are in PyTorch. All backends learn the same, to the bit.

    Parameters
    ----------
    env
        A Gymnasium environment with vector observations and numbered actions, or the identifier of one.
    config
        Hyper-parameters; ``None``: those that suit the environment.
    hardware
        The replay manager, which says how many experiences are kept: its configuration, the name of a preset, or a
        YAML file's path.
    learner
        The learner in hardware, alike; ``None``: PyTorch.
    backend
        ``"reference"``: bit-exact in NumPy. ``"rtl"``: Verilated. ``"lockstep"``: both, every answer, weight, moment
        and priority compared. ``"uart:PORT"``: a board with the replay manager.
    evaluation_env
        Where `evaluate` plays; ``None``: a second environment of the same identifier.

    Members
    -------
    num_timesteps
        Environment steps taken.
    learner
        The networks.
    replay_buffer
        The experiences.

    Raises
    ------
    ValueError
        An environment or a backend that there is not; hyper-parameters that the learner does not have.
    """

    name = "dqn"
    # What else it was made with, in its checkpoints.
    SETTINGS: ClassVar[tuple[str, ...]] = ()
    config: DQNConfig
    hardware: PearlConfig

    def __init__(
        self,
        env: gymnasium.Env | str,
        config: DQNConfig | None = None,
        *,
        hardware: Any = "k16",
        learner: Any = None,
        backend: str = "reference",
        evaluation_env: gymnasium.Env | str | None = None,
    ):
        if config is None:
            config = DQNConfig.from_mapping(suited_to(identifier_of(env), learner))
        self.hardware = resolve_hardware(hardware, "pearl")
        seeds = np.random.SeedSequence(config.seed).generate_state(4)
        super().__init__(DiscreteEnvironment(env, int(seeds[0])), config, backend, evaluation_env)
        self._exploration = np.random.default_rng(int(seeds[1]))
        sizes = self.environment.observation_size, self.environment.action_size
        _refuse_unknown(backend)
        self.learner: QLearner | DeviceQLearner
        self._learner: LearnerBackend | None = None
        if learner is None:
            self.learner = QLearner(*sizes, config, int(seeds[3]))
        else:
            chosen = resolve_hardware(learner, "pearl_learner")
            require_suitable(chosen, *sizes, config)
            self._learner = _open_learner(backend, chosen)
            self.learner = DeviceQLearner(config, int(seeds[3]), self._learner)
        self._sum_tree = _open_sum_tree(backend, self.hardware)
        self.replay_buffer = PrioritizedReplayBuffer(
            self.hardware.leaves,
            config.alpha,
            config.beta,
            device=ReplayDevice(self._sum_tree, int(seeds[2])),
            epsilon=config.priority_epsilon,
        )
        self._tally = dict.fromkeys(COUNTED, 0)

    def _step(self) -> dict[str, Any]:
        config, environment = self.config, self.environment
        observation = environment.observation
        explores = self.num_timesteps < config.learning_starts
        action = self._action(observation, 1.0 if explores else config.exploration_at(self.num_timesteps))
        next_observation, reward, terminated, truncated = environment.step(action)
        if not np.isfinite(reward):
            raise ValueError(f"Reward {self.num_timesteps + 1} is {reward}; rewards must be finite")
        self.replay_buffer.add(
            observation=observation[np.newaxis],
            action=action[np.newaxis],
            reward=np.array([reward], np.float32),
            next_observation=next_observation[np.newaxis],
            terminated=np.array([terminated]),
        )
        self.num_timesteps += 1
        record: dict[str, Any] = {"step": self.num_timesteps, "reward": reward}
        if terminated or truncated:
            record |= {"return": environment.episode_return, "length": environment.episode_length}
            environment.begin()
        if self.num_timesteps % config.target_update_interval == 0:
            self.learner.update_target()
        if self.num_timesteps > config.learning_starts and self.num_timesteps % config.train_freq == 0:
            record["error"] = float(np.mean([self._train() for _ in range(config.gradient_steps)]))
        return record

    def _action(self, observation: np.ndarray, epsilon: float) -> np.ndarray:
        """A random action in a share ``epsilon`` of the cases, else the best one."""
        if self._exploration.random() < epsilon:
            return self.environment.random_action(self._exploration)
        return self._best_action(observation)

    def _train(self) -> float:
        """A gradient step whose errors become priorities; their mean absolute value."""
        config = self.config
        beta = config.beta_at(self.num_timesteps)
        batch = self.replay_buffer.sample(config.batch_size, beta=beta, stratified=config.stratified)
        self._count("sample_cycles")
        errors = self.learner.train(self.learner.prepare(batch), self.num_timesteps)
        self._count("step_cycles")
        self.replay_buffer.update_priorities(batch.indices, errors)
        self._count("update_cycles")
        self._tally["gradient_steps"] += 1
        return float(errors.mean())

    def _count(self, name: str) -> None:
        """Add the cycles of what was just done, where there are any."""
        self._tally[name] += getattr(self._counter(name), "cycles", 0)

    def _counter(self, name: str) -> Any:
        """Whose cycles those are."""
        return self._learner if name == "step_cycles" else self._sum_tree

    def predict(self, observation: np.ndarray, deterministic: bool = True) -> tuple[np.ndarray, None]:
        """The policy's action, for one observation or for rows of them.

        The second element is always ``None``, as Stable-Baselines3's hidden state of policies without one.

        Parameters
        ----------
        observation
            A vector, or rows of them.
        deterministic
            ``False``: as many random actions as training has at this step.
        """
        observation = self._checked(observation)
        actions = self.learner.values(np.atleast_2d(observation)).argmax(1)
        if not deterministic:
            epsilon = self.config.exploration_at(self.num_timesteps)
            explored = self._exploration.integers(self.environment.action_size, size=len(actions))
            actions = np.where(self._exploration.random(len(actions)) < epsilon, explored, actions)
        return np.asarray(self.environment.unscale(actions)).reshape(observation.shape[:-1]), None

    def _best_action(self, observation: np.ndarray) -> np.ndarray:
        return np.asarray(self.learner.values(observation[np.newaxis])[0].argmax())

    def counters(self) -> dict[str, Any]:
        """Gradient steps, cycles that the device took for their batches, and comparisons."""
        counts = {
            name: count
            for name, count in self._tally.items()
            if not name.endswith("cycles") or hasattr(self._counter(name), "cycles")
        }
        for name, comparison in self._comparisons().items():
            counts |= {f"{name}_{what}": count for what, count in comparison.counts().items()}
        return counts

    def _comparisons(self) -> dict[str, Comparison]:
        """RTL beside its reference, by name."""
        parts: dict[str, Any] = {"replay": self._sum_tree, "learner": self._learner}
        return {name: part for name, part in parts.items() if isinstance(part, Comparison)}

    def _own_state(self) -> dict[str, Any]:
        return {
            "exploration": self._exploration.bit_generator.state,
            "tally": self._tally,
            "comparisons": {name: part.comparisons() for name, part in self._comparisons().items()},
            "learner": None if self._learner is None else dataclasses.asdict(self._learner.config),
        }

    def _restore_own_state(self, about: dict[str, Any]) -> None:
        self._exploration.bit_generator.state = about["exploration"]
        if about["backend"] == self.backend:
            self._tally |= about["tally"]
            for name, part in self._comparisons().items():
                part.restore_comparisons(about["comparisons"][name])

    @classmethod
    def load(
        cls,
        path: Path | str,
        env: gymnasium.Env | str | None = None,
        *,
        backend: str | None = None,
        hardware: Any = None,
    ) -> Self:
        """The agent a checkpoint holds, ready to go on.

        Parameters
        ----------
        path
            Of the checkpoint.
        env
            ``None``: by the identifier in the checkpoint.
        backend
            ``None``: the one it was trained with. Each reads the checkpoints of all.
        hardware
            ``None``: the configuration in the checkpoint. Another one is refused.

        Raises
        ------
        CheckpointError
            The file is damaged, no checkpoint of this agent, or of another configuration or environment.
        """
        arrays, about = read_agent(path, cls.name, MEMBERS + cls.SETTINGS)
        env = environment_of(path, about, env)
        chosen = resolve_hardware(hardware if hardware is not None else about["hardware"], "pearl")
        require_configuration(path, about, chosen)
        config = DQNConfig.from_mapping(about["config"])
        settings = {name: about[name] for name in cls.SETTINGS}
        agent = cls(
            env, config, hardware=chosen, learner=about["learner"], backend=backend or about["backend"], **settings
        )
        agent._restore(path, arrays, about)
        return agent

    def close(self) -> None:
        """Lets go of the devices."""
        self.replay_buffer.close()
        self.learner.close()


def _refuse_unknown(backend: str) -> None:
    if backend not in ("reference", "rtl", "lockstep") and not backend.startswith("uart:"):
        raise ValueError(f"Backend must be reference, rtl, lockstep or uart:PORT, not {backend!r}")


def _open_sum_tree(backend: str, hardware: PearlConfig) -> SumTreeBackend:
    if backend == "lockstep":
        return LockstepSumTree(ReferenceSumTree(hardware.tree), DeviceSumTree(hardware))
    return open_sum_tree(backend, hardware)


def _open_learner(backend: str, hardware: PearlLearnerConfig) -> LearnerBackend:
    if backend.startswith("uart:"):
        raise ValueError("A board has the replay manager alone: leave the learner in PyTorch")
    if backend == "lockstep":
        return LockstepLearner(ReferenceLearner(hardware), DeviceLearner(hardware))
    return open_learner(backend, hardware)
