"""Priors of a batch in the format of the tree."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...hw.cores.tree.config import PRIOR_WIDTH, SCORE_FRACTION
from ..core.environments.legal_actions import action_bits
from ..device.priors import quantize_priors

__all__ = ["fixed_priors", "mixed_priors"]

LARGEST_PRIOR = (1 << PRIOR_WIDTH) - 1
# A product of double precision is off by less than this from an exact one, in units of a prior.
DOUBT = 2.0**-24


def fixed_priors(priors: NDArray[np.floating], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """:func:`.priors.quantize_priors` of each row (batch, actions), the same integers."""
    weights = np.where(legal, priors, 0).astype(np.float64)
    scaled = weights / weights.sum(axis=1, keepdims=True) * (1 << SCORE_FRACTION)
    rounded = np.floor(scaled + 0.5)
    # Where double precision cannot tell on which side of the middle it is, integers do.
    near = (np.abs(scaled + 0.5 - np.round(scaled + 0.5)) < DOUBT) & (weights > 0)
    found = np.minimum(rounded, LARGEST_PRIOR).astype(np.int64)
    for row in np.flatnonzero(near.any(axis=1)):
        found[row] = quantize_priors(priors[row].tolist(), action_bits(legal[row]), legal.shape[1])
    return found


def mixed_priors(
    priors: NDArray[np.floating], legal: NDArray[np.bool_], noise: Sequence[NDArray[np.float64]] | None, fraction: float
) -> NDArray[np.float64]:
    """Priors of roots that sum to 1 over the legal actions, with their share of noise (batch, actions)."""
    weights = np.where(legal, priors, 0).astype(np.float64)
    if noise is None:
        return weights
    return (1 - fraction) * weights / weights.sum(axis=1, keepdims=True) + fraction * np.where(legal, noise, 0)
