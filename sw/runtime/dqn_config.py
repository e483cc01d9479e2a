"""Hyper-parameters of DQN. Pure data: no gateware, no PyTorch."""

import importlib.resources
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ...hw.soc.presets import read_preset
from ..agents.hyper_parameters import HyperParameters

__all__ = ["LOSSES", "DQNConfig", "suited_to"]

LOSSES = ("huber", "squared")


@dataclass(frozen=True, kw_only=True)
class DQNConfig(HyperParameters):
    """What DQN with prioritised replay learns with, in the words of Stable-Baselines3 where it has them.

    What changes over a run does so by the number of environment steps, not by their share of the run: a run that goes
    on is the same as one that never stopped.

    Parameters
    ----------
    hidden_sizes
        Neurons of the hidden layers.
    batch_size
        Experiences in a gradient step.
    learning_rate
        Adam's step at first.
    learning_rate_final, learning_rate_steps
        Adam's step at last, and the environment step at which it is reached; it falls evenly. ``None``: as at first.
    loss
        ``"huber"``, quadratic up to an error of 1, or ``"squared"``.
    max_grad_norm
        Length to which gradients are cut; infinite: they are not.
    gamma
        Discount.
    double_q
        Whether the online network chooses the action whose value the target network gives (double DQN).
    learning_starts
        Steps with uniformly random actions before the first gradient step.
    train_freq, gradient_steps
        Steps from one training to the next, and gradient steps in it.
    target_update_interval
        Steps from one copy of the online network to the target network to the next.
    exploration_final_eps, exploration_steps
        Share of random actions at last, and the step at which it is reached; it falls evenly from 1.
    alpha, priority_epsilon
        Priorities are ``(error + priority_epsilon) ** alpha``.
    beta, beta_steps
        Exponent of importance weights at first, and the step at which it has risen to 1.
    stratified
        Whether a batch has one of each of as many parts of the total.
    seed
        Of everything random.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range.

    Source: V. Mnih et al., "Human-level control through deep reinforcement learning", 2015; T. Schaul et al.,
    "Prioritized experience replay", 2016, algorithm 1.
    """

    hidden_sizes: tuple[int, ...] = (64, 64)
    batch_size: int = 64
    learning_rate: float = 1e-3
    learning_rate_final: float | None = None
    learning_rate_steps: int = 50_000
    loss: str = "huber"
    max_grad_norm: float = 10.0
    gamma: float = 0.99
    double_q: bool = True
    learning_starts: int = 1_000
    train_freq: int = 4
    gradient_steps: int = 1
    target_update_interval: int = 1_000
    exploration_final_eps: float = 0.05
    exploration_steps: int = 10_000
    alpha: float = 0.6
    priority_epsilon: float = 1e-3
    beta: float = 0.4
    beta_steps: int = 50_000
    stratified: bool = True
    seed: int = 0

    def __post_init__(self):
        object.__setattr__(self, "hidden_sizes", tuple(self.hidden_sizes))
        if not self.hidden_sizes:
            raise ValueError("hidden_sizes must name at least one layer, not ()")
        for size in self.hidden_sizes:
            self._whole("hidden_sizes", size, 1)
        for name in ("batch_size", "train_freq", "gradient_steps", "target_update_interval"):
            self._whole(name, getattr(self, name), 1)
        for name in ("learning_starts", "learning_rate_steps", "exploration_steps", "beta_steps", "seed"):
            self._whole(name, getattr(self, name), 0)
        for name in ("double_q", "stratified"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be True or False, not {getattr(self, name)!r}")
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be {' or '.join(LOSSES)}, not {self.loss!r}")
        self._real("learning_rate", 0, 1, low_included=False)
        if self.learning_rate_final is not None:
            self._real("learning_rate_final", 0, 1)
        self._real("max_grad_norm", 0, math.inf, low_included=False, high_included=True)
        for name in ("gamma", "exploration_final_eps", "beta"):
            self._real(name, 0, 1, high_included=True)
        for name in ("alpha", "priority_epsilon"):
            self._real(name, 0, math.inf)

    def learning_rate_at(self, step: int) -> float:
        """Adam's step at an environment step."""
        final = self.learning_rate if self.learning_rate_final is None else self.learning_rate_final
        return _ramp(self.learning_rate, final, step, self.learning_rate_steps)

    def exploration_at(self, step: int) -> float:
        """Share of random actions at an environment step."""
        return _ramp(1.0, self.exploration_final_eps, step, self.exploration_steps)

    def beta_at(self, step: int) -> float:
        """Exponent of the importance weights at an environment step."""
        return _ramp(self.beta, 1.0, step, self.beta_steps)


def _ramp(first: float, last: float, step: int, steps: int) -> float:
    return last if step >= steps else first + (last - first) * step / steps


def suited_to(env: str | None, learner: Any = None) -> dict[str, Any]:
    """Hyper-parameters that suit an environment, and over them those that come with the preset of a learner."""
    text = importlib.resources.files(__package__).joinpath("environments.yaml").read_text(encoding="utf-8")
    training = read_preset(learner, "pearl_learner").training if isinstance(learner, str | Path) else {}
    return {**yaml.safe_load(text).get(env, {}), **training}
