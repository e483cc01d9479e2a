"""Hyper-parameters of IC3Net. Pure data: no gateware, no PyTorch."""

import math
from dataclasses import dataclass

from ...core.hyper_parameters import HyperParameters

__all__ = ["GROUPING_GRADIENTS", "PRECISIONS", "SPARSITIES", "IC3NetConfig"]

SPARSITIES = ("grouping", "magnitude", "block-circulant", "group-sparse")
GROUPING_GRADIENTS = ("unmasked", "dense")
PRECISIONS = ("float32", "mixed", "half")


@dataclass(frozen=True, kw_only=True)
class IC3NetConfig(HyperParameters):
    """Hyper-parameters of IC3Net.

    Parameters
    ----------
    hidden_size
        Elements of encoding, communication, hidden and cell state.
    groups
        Groups of the weights of every layer; 1: dense.
    grouping_gradient
        Weights that the grouping matrices' gradient comes from: ``"unmasked"``, those that take part, or ``"dense"``,
        all as if they did.
    grouping_bound
        Bound of the grouping matrices' uniform initial values. The smaller, the sooner masks change.
    episodes
        Parallel episodes of an iteration.
    learning_rate
        RMSProp's learning rate.
    alpha
        RMSProp's decay of mean squares.
    epsilon
        Constant in RMSProp's denominator.
    gamma
        Discount factor of future rewards.
    value_coefficient
        Weight of the value's squared error in the loss.
    entropy_coefficient
        Weight of the entropy in the loss.
    sparsity
        How weights are made sparse: ``"grouping"``, or for comparison ``"magnitude"``, ``"block-circulant"``,
        ``"group-sparse"``.
    pruning_iterations
        Iterations over which pruning by magnitude reaches half of the weights.
    precision
        Number formats: ``"float32"``; ``"mixed"``, activations, errors, gradients and their weights rounded to
        binary16; or ``"half"``, also weights, grouping matrices and mean squares between iterations.
    loss_scale
        Factor on the loss that keeps small errors within binary16; the optimiser divides by it.
    seed
        Seed of everything random.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range.
    """

    hidden_size: int = 128
    groups: int = 1
    grouping_gradient: str = "unmasked"
    grouping_bound: float = 1.0
    episodes: int = 32
    learning_rate: float = 1e-3
    alpha: float = 0.97
    epsilon: float = 1e-6
    gamma: float = 1.0
    value_coefficient: float = 0.01
    entropy_coefficient: float = 0.0
    sparsity: str = "grouping"
    pruning_iterations: int = 1000
    precision: str = "float32"
    loss_scale: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("hidden_size", 1), ("groups", 1), ("episodes", 1), ("pruning_iterations", 1), ("seed", 0)):
            self._whole(name, getattr(self, name), least)
        self._word("sparsity", SPARSITIES)
        self._word("grouping_gradient", GROUPING_GRADIENTS)
        self._word("precision", PRECISIONS)
        if self.sparsity != "grouping" and self.groups != 1:
            raise ValueError(f"groups must be 1 with sparsity {self.sparsity!r}, not {self.groups}")
        for name in ("learning_rate", "alpha", "epsilon", "gamma"):
            self._real(name, 0.0, 1.0, high_included=True)
        for name in ("grouping_bound", "loss_scale", "value_coefficient", "entropy_coefficient"):
            self._real(name, 0.0, math.inf, high_included=True)
