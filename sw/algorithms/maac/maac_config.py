"""Hyper-parameters of MAAC. Pure data: no gateware, no PyTorch."""

import math
from dataclasses import dataclass

from ...core.hyper_parameters import HyperParameters

__all__ = ["MAACConfig"]


@dataclass(frozen=True, kw_only=True)
class MAACConfig(HyperParameters):
    """Hyper-parameters of MAAC.

    Parameters
    ----------
    hidden_size
        Elements of every hidden layer, embedding and message, which all heads share.
    heads
        Attention heads, which share ``hidden_size`` evenly.
    episodes
        Parallel episodes of an iteration.
    updates
        Updates after the episodes of an iteration, once there are experiences for a batch.
    batch_size
        Experiences per update.
    buffer_size
        Capacity of the replay buffer in experiences.
    gamma
        Discount factor of future rewards.
    tau
        Rate at which the target networks follow in an update.
    reward_scale
        Factor on rewards against the entropy.
    policy_learning_rate
        Adam's learning rate for the policies.
    critic_learning_rate
        Adam's learning rate for the critics.
    normalize_rewards
        Whether an agent's rewards are normalised by their mean and standard deviation over the replay buffer.
    seed
        Seed of everything random.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range.

    Source: Iqbal, Sha, "Actor-Attention-Critic for Multi-Agent Reinforcement Learning" (2019); the defaults are those
    that its authors published, four updates for a hundred steps.
    """

    hidden_size: int = 128
    heads: int = 4
    episodes: int = 12
    updates: int = 12
    batch_size: int = 1024
    buffer_size: int = 1_000_000
    gamma: float = 0.99
    tau: float = 0.001
    reward_scale: float = 100.0
    policy_learning_rate: float = 0.001
    critic_learning_rate: float = 0.001
    normalize_rewards: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("hidden_size", "heads", "episodes", "batch_size", "buffer_size"):
            self._whole(name, getattr(self, name), 1)
        for name in ("updates", "seed"):
            self._whole(name, getattr(self, name), 0)
        if self.hidden_size % self.heads:
            raise ValueError(f"hidden_size must be a multiple of the {self.heads} heads, not {self.hidden_size}")
        if self.buffer_size < self.batch_size:
            raise ValueError(f"buffer_size must be at least the batch_size {self.batch_size}, not {self.buffer_size}")
        for name in ("gamma", "tau", "policy_learning_rate", "critic_learning_rate"):
            self._real(name, 0.0, 1.0, high_included=True)
        self._real("reward_scale", 0.0, math.inf, low_included=False)
        if not isinstance(self.normalize_rewards, bool):
            raise TypeError(f"normalize_rewards must be True or False, not {self.normalize_rewards!r}")
