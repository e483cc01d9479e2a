"""DQN with prioritised replay on PEARL."""

from typing import ClassVar

import numpy as np

from ...algorithms.dqn_config import DQNConfig
from ...algorithms.policies import EpsilonGreedy
from ...algorithms.q_learner import QLearner
from ...algorithms.replay_parameters import ReplayParameters
from ...core.environments.environment import DiscreteEnvironment, Environment
from .agent import ReplayAgent
from .device_q_learner import DeviceQLearner, require_suitable

__all__ = ["DQN"]

# Multiplications of a batch on its way through a network; with fewer, handing it to a thread takes longer than it does.
LEAST_WORK = 1 << 20


class DQN(ReplayAgent):
    """Deep Q-network, for numbered actions; parameters and errors: :class:`.ReplayAgent`.

    The target network is copied after the environment step in which its time comes, with actors after that round.
    """

    name = "prioritized-dqn"
    configuration: ClassVar[type[ReplayParameters]] = DQNConfig
    kind: ClassVar[type[Environment]] = DiscreteEnvironment
    default_actors: ClassVar[int | None] = None
    suited_threads: ClassVar[int | None] = 1
    config: DQNConfig
    learner: QLearner | DeviceQLearner

    def _make_networks(self, seed: int) -> tuple[QLearner | DeviceQLearner, EpsilonGreedy]:
        sizes = self.environment.observation_size, self.environment.action_size
        policy = EpsilonGreedy(self.config, self.environment.action_size)
        if self._learner_hardware is None:
            return QLearner(*sizes, self.config, seed), policy
        require_suitable(self._learner_hardware, *sizes, self.config)
        return DeviceQLearner(self.config, seed, self._open_learner()), policy

    def _explore(self, observation: np.ndarray, step: int) -> np.ndarray:
        """A random action in a share of the cases, before learning in all; else the best one."""
        config = self.config
        epsilon = 1.0 if step < config.learning_starts else config.exploration_at(step)
        if self._exploration.random() < epsilon:
            return self.environment.random_action(self._exploration)
        return self._best_action(observation)

    def _after_step(self, before: int, after: int) -> None:
        interval = self.config.target_update_interval
        if after // interval > before // interval:
            self.learner.update_target()

    def _overlaps(self) -> bool:
        work = self.config.batch_size * sum(array.size for array in self.learner.weights())
        return super()._overlaps() or work >= LEAST_WORK
