"""Hyper-parameters of DQN. Pure data: no gateware, no PyTorch."""

import math
from dataclasses import dataclass
from typing import ClassVar

from .replay_parameters import ReplayParameters, ramp

__all__ = ["LOSSES", "DQNConfig"]

LOSSES = ("huber", "squared")


@dataclass(frozen=True, kw_only=True)
class DQNConfig(ReplayParameters):
    """Hyper-parameters of DQN, besides :class:`.ReplayParameters`, in the words of Stable-Baselines3 where it has them.

    Parameters
    ----------
    learning_rate_final
        Adam's learning rate at the end of a linear ramp; ``None``: it stays.
    learning_rate_steps
        Environment step at which that ramp ends.
    loss
        Loss of an error: ``"huber"``, quadratic up to 1, or ``"squared"``.
    max_grad_norm
        Norm to which gradients are clipped; infinite: they are not.
    double_q
        Whether the online network chooses the action whose value the target network gives (double DQN).
    target_update_interval
        Environment steps between copies of the online network to the target network.
    exploration_final_eps
        Share of random actions at the end of a linear ramp from 1.
    exploration_steps
        Environment step at which that ramp ends.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range.

    Source: V. Mnih et al., "Human-level control through deep reinforcement learning", 2015.
    """

    algorithm: ClassVar[str] = "dqn"
    learner_system: ClassVar[str] = "pearl_learner"

    learning_rate_final: float | None = None
    learning_rate_steps: int = 50_000
    loss: str = "huber"
    max_grad_norm: float = 10.0
    double_q: bool = True
    target_update_interval: int = 1_000
    exploration_final_eps: float = 0.05
    exploration_steps: int = 10_000

    def __post_init__(self) -> None:
        super().__post_init__()
        self._whole("target_update_interval", self.target_update_interval, 1)
        for name in ("learning_rate_steps", "exploration_steps"):
            self._whole(name, getattr(self, name), 0)
        if not isinstance(self.double_q, bool):
            raise TypeError(f"double_q must be True or False, not {self.double_q!r}")
        self._word("loss", LOSSES)
        if self.learning_rate_final is not None:
            self._real("learning_rate_final", 0, 1)
        self._real("max_grad_norm", 0, math.inf, low_included=False, high_included=True)
        self._real("exploration_final_eps", 0, 1, high_included=True)

    def learning_rate_at(self, step: int) -> float:
        """Adam's step at an environment step."""
        final = self.learning_rate if self.learning_rate_final is None else self.learning_rate_final
        return ramp(self.learning_rate, final, step, self.learning_rate_steps)

    def exploration_at(self, step: int) -> float:
        """Share of random actions at an environment step."""
        return ramp(1.0, self.exploration_final_eps, step, self.exploration_steps)
