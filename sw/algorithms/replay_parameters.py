"""Hyper-parameters that all algorithms with prioritised replay have. Pure data: no gateware, no PyTorch."""

import importlib.resources
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import yaml

from ...hw.soc.pearl.instructions import COUNT_WIDTH
from ...hw.soc.presets import read_preset
from ..core.hyper_parameters import HyperParameters

__all__ = ["PRECISIONS", "ReplayParameters", "ramp"]

# The replay manager's instruction counts no more samples, and a learner's no more in a step.
MOST_SAMPLES = (1 << COUNT_WIDTH) - 1
# Formats of the factors of the networks' products.
PRECISIONS = ("binary32", "bfloat16")


@dataclass(frozen=True, kw_only=True)
class ReplayParameters(HyperParameters):
    """When and how much is trained, and how experiences are drawn; the base of each algorithm's configuration.

    What changes over a run does so by the number of environment steps, not by their share of the run: a run that goes
    on is the same as one that never stopped.

    Parameters
    ----------
    hidden_sizes
        Neurons of the hidden layers.
    batch_size
        Experiences per gradient step, which the replay manager samples at once; at most 65 535.
    learning_rate
        Adam's learning rate.
    gamma
        Discount factor of future rewards.
    learning_starts
        Steps with uniformly random actions before the first gradient step.
    train_freq
        Environment steps between trainings.
    gradient_steps
        Gradient steps per training.
    alpha
        Exponent of priorities, ``(error + priority_epsilon) ** alpha``.
    priority_epsilon
        Addend of errors in priorities, ``(error + priority_epsilon) ** alpha``.
    beta
        Initial exponent of importance weights, which rises linearly to 1.
    beta_steps
        Environment step at which that exponent reaches 1.
    stratified
        Whether the total of priorities is divided into equal parts and each gives one sample of the batch.
    precision
        Format of what the learner's networks multiply. ``"bfloat16"``: activations, derivatives and weights are rounded
        to it for each product, which is faster where the processor has an instruction for that; sums, weights and
        Adam's moments stay in binary32. For perceptrons alone, and learners on this processor.
    seed
        Seed of everything random.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range.

    Source: T. Schaul et al., "Prioritized experience replay", 2016, algorithm 1.
    """

    # Its section of `environments.yaml`.
    algorithm: ClassVar[str]
    # System of the learners in hardware that take its gradient steps.
    learner_system: ClassVar[str]

    hidden_sizes: tuple[int, ...] = (64, 64)
    batch_size: int = 64
    learning_rate: float = 1e-3
    gamma: float = 0.99
    learning_starts: int = 1_000
    train_freq: int = 4
    gradient_steps: int = 1
    alpha: float = 0.6
    priority_epsilon: float = 1e-3
    beta: float = 0.4
    beta_steps: int = 50_000
    stratified: bool = True
    precision: str = "binary32"
    seed: int = 0

    def __post_init__(self) -> None:
        self._layers("hidden_sizes")
        for name in ("batch_size", "train_freq", "gradient_steps"):
            self._whole(name, getattr(self, name), 1)
        if self.batch_size > MOST_SAMPLES:
            raise ValueError(
                f"batch_size must be at most {MOST_SAMPLES}, which the replay manager samples at once, "
                f"not {self.batch_size}"
            )
        for name in ("learning_starts", "beta_steps", "seed"):
            self._whole(name, getattr(self, name), 0)
        if not isinstance(self.stratified, bool):
            raise TypeError(f"stratified must be True or False, not {self.stratified!r}")
        self._word("precision", PRECISIONS)
        self._real("learning_rate", 0, 1, low_included=False)
        for name in ("gamma", "beta"):
            self._real(name, 0, 1, high_included=True)
        for name in ("alpha", "priority_epsilon"):
            self._real(name, 0, math.inf)

    def beta_at(self, step: int) -> float:
        """Exponent of the importance weights at an environment step."""
        return ramp(self.beta, 1.0, step, self.beta_steps)

    @classmethod
    def suited_to(cls, env: str | None, learner: Any = None, hardware: Any = None) -> dict[str, Any]:
        """Hyper-parameters that suit an environment, then those of presets in their place.

        Parameters
        ----------
        env
            Its identifier.
        learner, hardware
            Learner in hardware, whose hyper-parameters take precedence, and replay manager: name of a preset, or a YAML
            file's path; nothing else comes with hyper-parameters.

        Raises
        ------
        ValueError
            There is no such preset.
        """
        text = importlib.resources.files(__package__).joinpath("environments.yaml").read_text(encoding="utf-8")
        suited = yaml.safe_load(text)[cls.algorithm].get(env, {})
        for preset, system in ((hardware, "pearl"), (learner, cls.learner_system)):
            if isinstance(preset, str | Path):
                suited |= read_preset(preset, system).training
        return suited


def ramp(first: float, last: float, step: int, steps: int) -> float:
    """From the first to the last value within so many steps, evenly."""
    return last if step >= steps else first + (last - first) * step / steps
