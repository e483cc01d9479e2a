"""DQN with prioritised replay on PEARL's replay manager, to the conventions of Stable-Baselines3."""

import dataclasses
from typing import Any, ClassVar

import gymnasium
import numpy as np

from ...hw.soc.pearl.learner_config import PearlLearnerConfig
from ..agents.environment import DiscreteEnvironment, Environment, identifier_of
from ..agents.hardware import resolve_hardware
from ..device.learner_backends import DeviceLearner, LearnerBackend, ReferenceLearner, open_learner
from .device_q_learner import DeviceQLearner, require_suitable
from .dqn_config import DQNConfig
from .lockstep_learner import LockstepLearner
from .policies import EpsilonGreedy
from .q_learner import QLearner
from .replay_agent import ReplayAgent
from .replay_parameters import ReplayParameters

__all__ = ["DQN"]


class DQN(ReplayAgent):
    """Deep Q-network, a step after the other.

    Parameters
    ----------
    env
        A Gymnasium environment with vector observations and numbered actions, or the identifier of one.
    config
        A :class:`.DQNConfig`; ``None``: the one that suits the environment.
    learner
        The learner in hardware: its configuration, the name of a preset, or a YAML file's path; ``None``: PyTorch.
    hardware, backend, evaluation_env
        As of :class:`.ReplayAgent`.

    Raises
    ------
    ValueError
        An environment or a backend that there is not; hyper-parameters that the learner does not have.
    """

    name = "dqn"
    configuration: ClassVar[type[ReplayParameters]] = DQNConfig
    kind: ClassVar[type[Environment]] = DiscreteEnvironment
    SETTINGS: ClassVar[tuple[str, ...]] = ("learner",)
    config: DQNConfig
    learner: QLearner | DeviceQLearner

    def __init__(
        self, env: gymnasium.Env | str, config: DQNConfig | None = None, *, learner: Any = None, **settings: Any
    ):
        if config is None:
            config = DQNConfig.from_mapping(DQNConfig.suited_to(identifier_of(env), learner))
        self._learner: LearnerBackend | None = None
        self._learner_hardware: PearlLearnerConfig | None = None
        if learner is not None:
            self._learner_hardware = resolve_hardware(learner, "pearl_learner")
        super().__init__(env, config, **settings)

    def _make_networks(self, seed: int) -> tuple[QLearner | DeviceQLearner, EpsilonGreedy]:
        sizes = self.environment.observation_size, self.environment.action_size
        policy = EpsilonGreedy(self.config, self.environment.action_size)
        if self._learner_hardware is None:
            return QLearner(*sizes, self.config, seed), policy
        require_suitable(self._learner_hardware, *sizes, self.config)
        self._learner = _open_learner(self.backend, self._learner_hardware)
        return DeviceQLearner(self.config, seed, self._learner), policy

    def _hardware(self) -> dict[str, Any]:
        return super()._hardware() | {"learner": self._learner}

    def _own_state(self) -> dict[str, Any]:
        chosen = self._learner_hardware
        return super()._own_state() | {"learner": None if chosen is None else dataclasses.asdict(chosen)}

    def _round(self) -> list[dict[str, Any]]:
        return [self._step()]

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


def _open_learner(backend: str, hardware: PearlLearnerConfig) -> LearnerBackend:
    if backend.startswith("uart:"):
        raise ValueError("A board has the replay manager alone: leave the learner in PyTorch")
    if backend == "lockstep":
        return LockstepLearner(ReferenceLearner(hardware), DeviceLearner(hardware))
    return open_learner(backend, hardware)
