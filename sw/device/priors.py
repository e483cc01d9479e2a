"""Priors in the format of the search tree."""

import math
from collections.abc import Sequence

from ...hw.cores.tree.config import PRIOR_WIDTH, SCORE_FRACTION

__all__ = ["quantize_priors"]

LARGEST = (1 << PRIOR_WIDTH) - 1


def quantize_priors(priors: Sequence[float], legal: int, actions: int) -> tuple[int, ...]:
    """Priors as the tree keeps them, in units of 2**-16.

    The legal actions' priors are divided by their sum; each is rounded to the nearest unit, up from the middle, and is
    65 535 at most. So each is off by at most half a unit (one that is all of the sum, by a whole one), and their sum by
    at most half a unit for each legal action.

    Parameters
    ----------
    priors : sequence of float
        One for each action. Only ratios matter; what stands at an action that is not legal is not looked at.
    legal : int
        Bit a for action a; not 0.
    actions : int
        How many there are.

    Returns
    -------
    tuple of int
        One for each action, 0 where it is not legal.

    Raises
    ------
    ValueError
        More or fewer priors than actions; one that is negative, infinite or NaN; all are 0.
    """
    if len(priors) != actions:
        raise ValueError(f"Priors must be {actions}, one for each action, not {len(priors)}")
    looked_at = [float(prior) if legal >> action & 1 else 0.0 for action, prior in enumerate(priors)]
    for action, prior in enumerate(looked_at):
        # NaN is not in it, either.
        if not 0 <= prior < math.inf:
            raise ValueError(f"Priors must be at least 0 and finite, not {prior:g} for action {action}")
    # As integers of one unit, so that nothing is rounded before the end.
    ratios = [prior.as_integer_ratio() for prior in looked_at]
    denominator = max(below for _, below in ratios)
    weights = [above * (denominator // below) for above, below in ratios]
    total = sum(weights)
    if not total:
        raise ValueError("Priors must not be 0 for all legal actions")
    return tuple(min(((weight << SCORE_FRACTION + 1) + total) // (2 * total), LARGEST) for weight in weights)
