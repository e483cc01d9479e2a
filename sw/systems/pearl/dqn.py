"""DQN with prioritised replay on PEARL's replay manager, to the conventions of Stable-Baselines3."""

from typing import Any, ClassVar

import numpy as np

from ...algorithms.dqn_config import DQNConfig
from ...algorithms.policies import EpsilonGreedy
from ...algorithms.q_learner import QLearner
from ...algorithms.replay_parameters import ReplayParameters
from ...core.environments.environment import DiscreteEnvironment, Environment
from .device_q_learner import DeviceQLearner, require_suitable
from .learner_agent import LearnerAgent

__all__ = ["DQN"]


class DQN(LearnerAgent):
    """Deep Q-network, a step after the other, for numbered actions; parameters and errors: `LearnerAgent`."""

    name = "dqn"
    configuration: ClassVar[type[ReplayParameters]] = DQNConfig
    kind: ClassVar[type[Environment]] = DiscreteEnvironment
    config: DQNConfig
    learner: QLearner | DeviceQLearner

    def _make_networks(self, seed: int) -> tuple[QLearner | DeviceQLearner, EpsilonGreedy]:
        sizes = self.environment.observation_size, self.environment.action_size
        policy = EpsilonGreedy(self.config, self.environment.action_size)
        if self._learner_hardware is None:
            return QLearner(*sizes, self.config, seed), policy
        require_suitable(self._learner_hardware, *sizes, self.config)
        return DeviceQLearner(self.config, seed, self._open_learner(self._learner_hardware)), policy

    def _round(self) -> list[dict[str, Any]]:
        return [self._step()]

    def _step(self) -> dict[str, Any]:
        config, environment = self.config, self.environment
        observation = environment.observation
        explores = self.num_timesteps < config.learning_starts
        action = self._action(observation, 1.0 if explores else config.exploration_at(self.num_timesteps))
        next_observation, reward, terminated, truncated = environment.step(action)
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
