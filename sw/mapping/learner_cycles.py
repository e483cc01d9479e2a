"""Cycles of a pipeline of layer propagations, and how its multipliers are shared out, as the source has it.

Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, equations 4.1 and 4.4.
"""

from collections.abc import Sequence

from ...hw.cores.checks import require_integer

__all__ = ["balanced_unroll_factors", "learner_cycles", "segment_cycles", "stage_cycles"]


def balanced_unroll_factors(products: Sequence[int], budget: int) -> tuple[int, ...]:
    """UF of each stage, equation 4.1: multiply-accumulate units so that all stages take the same time.

    The slowest stage is as fast as it can be with so many units, and no stage has more than it needs for that. With
    fewer units than stages each has one, the smallest that there can be; whoever has the budget sees that it is short.

    Parameters
    ----------
    products : sequence of int
        #MAC of each stage for an experience.
    budget : int
        Units for all stages together.

    Raises
    ------
    TypeError, ValueError
        A stage without products, or a negative budget.
    """
    require_integer("Budget", budget, 0)
    for product in products:
        require_integer("Products of a stage", product, 1)
    low, high = 1, max(products, default=1)
    while low < high:
        middle = (low + high) // 2
        if sum(-(-product // middle) for product in products) <= budget:
            high = middle
        else:
            low = middle + 1
    return tuple(-(-product // low) for product in products)


def stage_cycles(products: Sequence[int], factors: Sequence[int]) -> int:
    """T stage, of the slowest stage."""
    return max(-(-product // factor) for product, factor in zip(products, factors, strict=True))


def segment_cycles(stage: int, batch: int, fill: int) -> int:
    """Of a batch through a part of the pipeline: an experience every T stage, and so many for the last one's way."""
    return stage * (batch + fill)


def learner_cycles(stage: int, batch: int, layers: int) -> int:
    """Equation 4.4, a gradient step: T stage * (BS + 3 (layers - 1))."""
    return segment_cycles(stage, batch, 3 * (layers - 1))
