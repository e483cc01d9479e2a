"""Optimisers in floating point: the numbers that they keep and take. No Amaranth here."""

from dataclasses import dataclass

__all__ = ["FLOAT_OPTIMIZERS", "GRADIENT_OPTIMIZERS", "FloatOptimizer"]


@dataclass(frozen=True, kw_only=True)
class FloatOptimizer:
    """Numbers besides weights and gradients.

    Parameters
    ----------
    state : tuple of str
        Kept for each weight; 0 before the first step.
    rates : tuple of str
        Rates of a step.
    gradients : bool
        Whether it takes a gradient.
    """

    state: tuple[str, ...]
    rates: tuple[str, ...]
    gradients: bool = True


FLOAT_OPTIMIZERS = {
    "adam": FloatOptimizer(
        state=("first", "second"),
        rates=("beta1", "one_minus_beta1", "beta2", "one_minus_beta2", "learning_rate", "epsilon"),
    ),
    "sgd": FloatOptimizer(state=(), rates=("learning_rate",)),
    # Somebody else has updated the weights: an update is that of the target alone.
    "none": FloatOptimizer(state=(), rates=(), gradients=False),
}

GRADIENT_OPTIMIZERS = tuple(name for name, optimizer in FLOAT_OPTIMIZERS.items() if optimizer.gradients)
