"""Stable-Baselines3's DQN on prioritised replay whose priorities are on a device.

    model = PrioritizedDQN("MlpPolicy", "CartPole-v1", replay_buffer_kwargs={"priorities": "rtl"})
    model.learn(10_000)
    model.replay_buffer.close()

It takes the extra ``stable-baselines3``.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.vec_env import VecNormalize
from torch.nn import functional

from ..core.experience_checks import finite_array
from ..device.replay import ReplayDevice
from .prioritized_replay_buffer import PrioritizedReplayBuffer

__all__ = ["DeviceReplayBuffer", "PrioritizedDQN", "PrioritizedSamples"]


class PrioritizedSamples(NamedTuple):
    """Samples as Stable-Baselines3's buffers give them, and what prioritised replay needs besides.

    Parameters
    ----------
    observations, actions, next_observations, dones, rewards, discounts
        As in ``ReplayBufferSamples``.
    weights : torch.Tensor
        Importance weights, float32, shape (batch, 1).
    indices : numpy.ndarray
        For :meth:`DeviceReplayBuffer.update_priorities`.
    """

    observations: torch.Tensor
    actions: torch.Tensor
    next_observations: torch.Tensor
    dones: torch.Tensor
    rewards: torch.Tensor
    discounts: torch.Tensor | None
    weights: torch.Tensor
    indices: np.ndarray


class DeviceReplayBuffer(ReplayBuffer):
    """Experiences as Stable-Baselines3 keeps them, a leaf of the sum tree for each, whichever environment it is from.

    It cannot be pickled, and so not go through ``save_replay_buffer``: a device is behind it.

    Parameters
    ----------
    buffer_size : int
    observation_space, action_space : gymnasium.spaces.Space
    device : torch.device or str
        Device of the tensors.
    n_envs : int
    optimize_memory_usage : bool
        Must be ``False``: the experience behind the latest one would be no experience, but could be sampled.
    handle_timeout_termination : bool
        As Stable-Baselines3 has them.
    alpha, beta, epsilon, seed
        As :class:`.PrioritizedReplayBuffer` has them.
    priorities : str or ReplayDevice
        Where they are: its ``device``.

    Raises
    ------
    TypeError, ValueError
        A parameter out of its range.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        device: torch.device | str = "auto",
        n_envs: int = 1,
        optimize_memory_usage: bool = False,
        handle_timeout_termination: bool = True,
        *,
        alpha: float = 0.6,
        beta: float = 0.4,
        epsilon: float = 1e-3,
        priorities: str | ReplayDevice = "reference",
        seed: int = 0,
    ):
        if optimize_memory_usage:
            raise ValueError("Prioritised replay keeps next observations: optimize_memory_usage must be False")
        # A row for each experience, so that rows are leaves.
        super().__init__(
            buffer_size,
            observation_space,
            action_space,
            device,
            handle_timeout_termination=handle_timeout_termination,
        )
        self.environments = n_envs
        self.priorities = PrioritizedReplayBuffer(
            buffer_size, alpha, beta, device=priorities, epsilon=epsilon, seed=seed
        )

    def add(
        self,
        obs: np.ndarray,
        next_obs: np.ndarray,
        action: np.ndarray,
        reward: np.ndarray,
        done: np.ndarray,
        infos: list[dict[str, Any]],
    ) -> None:
        """Add an experience of each environment.

        Raises
        ------
        ValueError
            A value that is not finite; nothing is added.
        """
        for name, values, kind in (
            ("Observation", obs, self.observations.dtype),
            ("Next observation", next_obs, self.next_observations.dtype),
            ("Action", action, self.actions.dtype),
            ("Reward", reward, self.rewards.dtype),
        ):
            finite_array(name, values, kind)
        rows = (self.pos + np.arange(self.environments)) % self.buffer_size
        for number in range(self.environments):
            one = slice(number, number + 1)
            super().add(obs[one], next_obs[one], action[one], reward[one], done[one], infos[one])
        self.priorities.add(row=rows)

    def sample(self, batch_size: int, env: VecNormalize | None = None, beta: float | None = None) -> Any:
        """Experiences with importance weights: :class:`PrioritizedSamples`.

        Parameters
        ----------
        batch_size : int
        env : VecNormalize or None
            Environment that normalises observations and rewards.
        beta : float or None
            Instead of the buffer's.
        """
        batch = self.priorities.sample(batch_size, beta=beta)
        samples = self._get_samples(batch.indices, env=env)
        weights = self.to_torch(batch.weights).reshape(-1, 1)
        return PrioritizedSamples(*samples, weights=weights, indices=batch.indices)

    def update_priorities(self, indices: np.ndarray, errors: torch.Tensor) -> None:
        """Make temporal-difference errors the priorities of a batch."""
        self.priorities.update_priorities(indices, errors.detach().abs().cpu().numpy().reshape(-1))

    def reset(self) -> None:
        """Forget all experiences."""
        super().reset()
        self.priorities.clear()

    def close(self) -> None:
        """Give the device back."""
        self.priorities.close()


class PrioritizedDQN(DQN):
    """DQN that weighs its loss and gives temporal-difference errors back as priorities.

    Everything else is Stable-Baselines3's, parameters included; those of :class:`DeviceReplayBuffer` go into
    ``replay_buffer_kwargs``. The importance weights' exponent rises from the buffer's to 1 at the end of ``learn``.

    Source: T. Schaul et al., "Prioritized experience replay", 2016, algorithm 1.
    """

    replay_buffer: DeviceReplayBuffer

    def __init__(self, policy: Any, env: Any, **settings: Any):
        super().__init__(policy, env, **{"replay_buffer_class": DeviceReplayBuffer, **settings})

    def train(self, gradient_steps: int, batch_size: int = 100) -> None:
        """Gradient steps, as ``DQN.train`` does them."""
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        beta = 1 - (1 - self.replay_buffer.priorities.beta) * self._current_progress_remaining
        losses = []
        for _ in range(gradient_steps):
            batch = self.replay_buffer.sample(batch_size, env=self._vec_normalize_env, beta=beta)
            with torch.no_grad():
                future = self.q_net_target(batch.next_observations).max(dim=1, keepdim=True).values
                discounts = self.gamma if batch.discounts is None else batch.discounts
                targets = batch.rewards + (1 - batch.dones) * discounts * future
            values = self.q_net(batch.observations).gather(1, batch.actions.long())
            loss = (batch.weights * functional.smooth_l1_loss(values, targets, reduction="none")).mean()
            losses.append(loss.item())
            self.policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.policy.parameters(), self.max_grad_norm)
            self.policy.optimizer.step()
            self.replay_buffer.update_priorities(batch.indices, values - targets)
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/loss", np.mean(losses))
