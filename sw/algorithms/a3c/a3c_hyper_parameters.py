"""Hyper-parameters of A3C. Pure data: no gateware, no PyTorch."""

import math
from dataclasses import dataclass

from ....hw.cores.a3c.config import LARGEST_AGENTS, LARGEST_LAYER, LARGEST_STEPS
from ...core.hyper_parameters import HyperParameters

__all__ = ["A3CHyperParameters"]


@dataclass(frozen=True, kw_only=True)
class A3CHyperParameters(HyperParameters):
    """Hyper-parameters of A3C.

    Parameters
    ----------
    agents
        Local agents, each with an environment of its own (1 to 64).
    hidden_sizes
        Neurons of the layers that policy and value share, each rectified (1 to 4096).
    rollout_steps
        t_max, steps between two updates of an agent (1 to 64).
    gamma
        Discount factor of future rewards.
    reward_scale
        Factor of rewards before they are learned from; returns of episodes are told without it.
    reward_limit
        Scaled rewards are clipped to at most this magnitude (Mnih et al. have 1 for games); 0: they are not.
    entropy_coefficient
        Weight of the entropy in the loss.
    value_coefficient
        Weight of the squared advantage in the loss; the accelerator's paper has 1.
    learning_rate
        RMSProp's learning rate.
    anneal_steps
        Environment steps of all agents over which the learning rate falls linearly to 0; 0: it stays.
    rms_prop_decay
        RMSProp's decay of mean squares.
    rms_prop_epsilon
        Constant in RMSProp's denominator.
    draw_in_evaluation
        Whether evaluation draws its actions as training does; otherwise it takes the likeliest.
    seed
        Seed of everything random.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range.

    Source: Mnih et al., "Asynchronous Methods for Deep Reinforcement Learning" (2016), section 8; Ge et al., "A FPGA
    Accelerator of Distributed A3C Algorithm with Optimal Resource Deployment" (2024), table 2.
    """

    agents: int = 8
    hidden_sizes: tuple[int, ...] = (256, 128, 64)
    rollout_steps: int = 5
    gamma: float = 0.99
    reward_scale: float = 1.0
    reward_limit: float = 0.0
    entropy_coefficient: float = 0.01
    value_coefficient: float = 1.0
    learning_rate: float = 7e-4
    anneal_steps: int = 0
    rms_prop_decay: float = 0.99
    rms_prop_epsilon: float = 0.1
    draw_in_evaluation: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        self._whole("agents", self.agents, 1, LARGEST_AGENTS)
        self._layers("hidden_sizes")
        for size in self.hidden_sizes:
            self._whole("hidden_sizes", size, 1, LARGEST_LAYER)
        self._whole("rollout_steps", self.rollout_steps, 1, LARGEST_STEPS)
        for name in ("anneal_steps", "seed"):
            self._whole(name, getattr(self, name), 0)
        if not isinstance(self.draw_in_evaluation, bool):
            raise TypeError(f"draw_in_evaluation must be True or False, not {self.draw_in_evaluation!r}")
        for name in ("gamma", "learning_rate"):
            self._real(name, 0.0, 1.0, high_included=True)
        self._real("rms_prop_decay", 0.0, 1.0)
        for name in ("reward_limit", "entropy_coefficient", "value_coefficient"):
            self._real(name, 0.0, math.inf)
        for name in ("reward_scale", "rms_prop_epsilon"):
            self._real(name, 0.0, math.inf, low_included=False)

    def learned_reward(self, reward: float) -> float:
        """The reward to learn from: the environment's, scaled and then clipped."""
        scaled = reward * self.reward_scale
        return min(max(scaled, -self.reward_limit), self.reward_limit) if self.reward_limit else scaled

    def learning_rate_at(self, steps: int) -> float:
        """The learning rate after so many environment steps of all agents."""
        left = max(1 - steps / self.anneal_steps, 0.0) if self.anneal_steps else 1.0
        return self.learning_rate * left
