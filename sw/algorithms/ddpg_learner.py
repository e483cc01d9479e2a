"""DDPG's gradient step in PyTorch, float32, on the processor."""

import numpy as np
import torch

from ..networks.network import TrainableNetwork, shared_passes
from .actor_critic import ActorCritic, tensors
from .actor_critic_config import PrioritizedDDPGConfig
from .first_layers import FirstLayers
from .replay_buffer import Batch

__all__ = ["DDPGLearner"]


class DDPGLearner(ActorCritic):
    """An actor, a critic, and targets that follow both.

    Parameters
    ----------
    observation_size, action_size
        Elements of an observation and of an action.
    config
        Hyper-parameters.
    seed
        Seed of the first weights.
    first
        The user's own networks or first weights instead.

    Source: T. Lillicrap et al., "Continuous control with deep reinforcement learning", 2016, algorithm 1.
    """

    def __init__(
        self,
        observation_size: int,
        action_size: int,
        config: PrioritizedDDPGConfig,
        seed: int,
        first: FirstLayers | None = None,
    ):
        super().__init__(observation_size, action_size, config, action_size, 1, seed, first)
        self.target_actor = self.actor.copy()

    def act(self, observations: np.ndarray) -> np.ndarray:
        """The actor's actions in [-1, 1], float32."""
        return self.actor(torch.from_numpy(observations))[0].tanh_().numpy()

    @shared_passes()
    def train(self, batch: Batch, step: int) -> np.ndarray:
        """A step of the critic, then of the actor; absolute temporal-difference errors, float32, shape (batch,).

        Parameters
        ----------
        batch
            ``observation``, ``action``, ``reward`` and ``next_observation`` (float32), ``terminated`` (bool), in rows.
        step
            Nothing depends on it.
        """
        data = tensors(batch)
        next_actions = self.target_actor(data["next_observation"])[0].tanh_()
        future = self.target_critics[0](data["next_observation"], next_actions)[0]
        errors = self._learn_values(data, self._discounted(data, future), batch.weights)
        self._learn_actions(data["observation"])
        for target, leader in ((self.target_actor, self.actor), (self.target_critics[0], self.critics[0])):
            target.follow(leader, self.config.tau)
        return errors

    def _learn_actions(self, observations: torch.Tensor) -> None:
        """Towards actions of greater value."""
        outputs, inputs = self.actor(observations)
        actions = outputs.tanh_()
        critic = self.critics[0]
        values, into = critic(observations, actions)
        slopes = critic.input_derivative(into, torch.full_like(values, -1 / len(values)))
        self.actor.learn(inputs, slopes[:, self.observation_size :] * (1 - actions * actions))

    def _networks(self) -> dict[str, TrainableNetwork]:
        return super()._networks() | {"target_actor": self.target_actor}
