"""DQN with prioritised replay on PEARL."""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import gymnasium
import numpy as np
from torch import nn

from ...algorithms.dqn_config import DQNConfig
from ...algorithms.policies import EpsilonGreedy
from ...algorithms.q_learner import QLearner
from ...algorithms.replay_parameters import ReplayParameters
from ...core.environments.environment import DiscreteEnvironment, Environment
from ...networks.module_network import require_module
from ...networks.user_network import hidden_sizes, take_network
from .agent import ReplayAgent
from .device_q_learner import DeviceQLearner, require_suitable

__all__ = ["DQN"]

# Multiplications of a batch on its way through a network; with fewer, handing it to a thread takes longer than it does.
LEAST_WORK = 1 << 20


class DQN(ReplayAgent):
    """Deep Q-network, for numbered actions.

    The target network is copied after the environment step in which its time comes, with actors after that round.

    Parameters
    ----------
    env, config
        As of :class:`.ReplayAgent`.
    network
        A network of the user's, whose weights are the first; it does not change itself. ``torch.nn.Sequential`` of
        ``Linear`` and ``ReLU`` in turn is computed by every backend, and says the hidden sizes. Any other
        ``torch.nn.Module`` from rows to rows learns in PyTorch's autograd, without actors; `load` needs one like it.
    **settings
        Settings of :class:`.ReplayAgent`.

    Raises
    ------
    TypeError, ValueError
        As of :class:`.ReplayAgent`; or a network that takes or gives other sizes, or computes something else.
    """

    name = "prioritized-dqn"
    configuration: ClassVar[type[ReplayParameters]] = DQNConfig
    kind: ClassVar[type[Environment]] = DiscreteEnvironment
    default_actors: ClassVar[int | None] = None
    suited_threads: ClassVar[int | None] = 1
    config: DQNConfig
    learner: QLearner | DeviceQLearner

    def __init__(
        self,
        env: gymnasium.Env | str | Callable[[], gymnasium.Env],
        config: DQNConfig | None = None,
        *,
        network: Any = None,
        **settings: Any,
    ):
        self._first = None if network is None else take_network(network)
        super().__init__(env, config, **self._fitting({"network": [self._first]}, settings))

    def _sized(self, config: DQNConfig) -> DQNConfig:
        if self._first is None or isinstance(self._first, nn.Module):
            return config
        return dataclasses.replace(config, hidden_sizes=hidden_sizes(self._first))

    def _make_networks(self, seed: int) -> tuple[QLearner | DeviceQLearner, EpsilonGreedy]:
        sizes = self.environment.observation_size, self.environment.action_size
        if isinstance(self._first, nn.Module):
            require_module(self._first, "network", *sizes)
        elif self._first is not None:
            found = self._first[0][0].shape[1], self._first[-1][0].shape[0]
            if found != sizes:
                raise ValueError(
                    f"The network must take the {sizes[0]} elements of an observation and give {sizes[1]} values, one "
                    f"an action, not take {found[0]} and give {found[1]}"
                )
        policy = EpsilonGreedy(self.config, self.environment.action_size)
        if self._learner_hardware is None:
            return QLearner(*sizes, self.config, seed, self._first), policy
        require_suitable(self._learner_hardware, *sizes, self.config)
        return DeviceQLearner(self.config, seed, self._open_learner(), self._first), policy

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
