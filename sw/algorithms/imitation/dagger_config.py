"""Hyper-parameters of data aggregation. Pure data: no gateware, no PyTorch."""

from dataclasses import dataclass

from ...core.hyper_parameters import HyperParameters

__all__ = ["DaggerConfig"]


@dataclass(frozen=True, kw_only=True)
class DaggerConfig(HyperParameters):
    """Hyper-parameters of a policy that learns from a rule.

    Parameters
    ----------
    hidden
        Neurons of the layer after the convolutions.
    round_steps
        Environment steps per iteration.
    updates
        Gradient steps after each iteration.
    batch_size
        Observations per gradient step.
    learning_rate
        Adam's learning rate.
    half_life
        Environment steps that halve the share of steps in which the rule acts. 0: the policy always acts.
    seed
        Seed of everything random.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range.

    Source: Ross, Gordon, Bagnell, "A Reduction of Imitation Learning and Structured Prediction to No-Regret Online
    Learning" (2011).
    """

    hidden: int = 512
    round_steps: int = 100
    updates: int = 25
    batch_size: int = 32
    learning_rate: float = 7e-4
    half_life: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("hidden", "round_steps", "updates", "batch_size"):
            self._whole(name, getattr(self, name), 1)
        for name in ("half_life", "seed"):
            self._whole(name, getattr(self, name), 0)
        self._real("learning_rate", 0.0, 1.0, low_included=False, high_included=True)

    def rule_share_at(self, step: int) -> float:
        """In which share of the steps the rule acts, after so many."""
        return 0.5 ** (step / self.half_life) if self.half_life else 0.0
