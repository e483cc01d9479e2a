"""What optimisers in floating point keep and take. No Amaranth here."""

from dataclasses import dataclass

__all__ = ["FLOAT_OPTIMIZERS", "FloatOptimizer"]


@dataclass(frozen=True, kw_only=True)
class FloatOptimizer:
    """Numbers besides weights and gradients.

    Parameters
    ----------
    state : tuple of str
        Kept for each weight; 0 before the first step.
    rates : tuple of str
        Of a step.
    """

    state: tuple[str, ...]
    rates: tuple[str, ...]


FLOAT_OPTIMIZERS = {
    "adam": FloatOptimizer(
        state=("first", "second"),
        rates=("first_keep", "first_rest", "second_keep", "second_rest", "rate", "epsilon"),
    ),
    "sgd": FloatOptimizer(state=(), rates=("rate",)),
}
