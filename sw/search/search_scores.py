"""Constants of a search in the formats of the tree, and what priors and rewards are in them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...hw.cores.tree.config import (
    COEFFICIENT_FRACTION,
    LOSS_WIDTH,
    PRIOR_WIDTH,
    REWARD_FRACTION,
    REWARD_WIDTH,
    SCORE_FRACTION,
)
from ..device.priors import quantize_priors
from .search_config import SearchConfig

__all__ = ["fixed_constants", "fixed_priors", "fixed_reward", "legal_bits", "mixed_priors"]

LARGEST_PRIOR = (1 << PRIOR_WIDTH) - 1
# A product of double precision is off by less than this from an exact one, in units of a prior.
DOUBT = 2.0**-24


def fixed_constants(config: SearchConfig) -> tuple[int, int, int]:
    """Exploration, virtual loss and first value as integers of 12, 16 and 16 fraction bits."""
    exploration = min(round(config.exploration * (1 << COEFFICIENT_FRACTION)), (1 << 16) - 1)
    loss = min(round(config.virtual_loss * (1 << SCORE_FRACTION)), (1 << LOSS_WIDTH) - 1)
    first = min(round(config.first_value * (1 << SCORE_FRACTION)), (1 << 19) - 1)
    return exploration, loss, first


def fixed_reward(reward: float) -> int:
    """A reward as an integer of 12 fraction bits, rounded to nearest, to even in the middle.

    Raises
    ------
    ValueError
        It is not in [-8, 8).
    """
    scaled = reward * (1 << REWARD_FRACTION)
    limit = 1 << REWARD_WIDTH - 1
    if not -limit <= scaled < limit or round(scaled) >= limit:
        unit = 1 << REWARD_FRACTION
        raise ValueError(f"Reward must be in [{-limit / unit:g}, {limit / unit:g}), not {reward:g}")
    return round(scaled)


def fixed_priors(priors: NDArray[np.floating], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """:func:`.priors.quantize_priors` of each row (batch, actions), the same integers."""
    weights = np.where(legal, priors, 0).astype(np.float64)
    scaled = weights / weights.sum(axis=1, keepdims=True) * (1 << SCORE_FRACTION)
    rounded = np.floor(scaled + 0.5)
    # Where double precision cannot tell on which side of the middle it is, integers do.
    near = (np.abs(scaled + 0.5 - np.round(scaled + 0.5)) < DOUBT) & (weights > 0)
    found = np.minimum(rounded, LARGEST_PRIOR).astype(np.int64)
    for row in np.flatnonzero(near.any(axis=1)):
        found[row] = quantize_priors(priors[row].tolist(), legal_bits(legal[row]), legal.shape[1])
    return found


def legal_bits(legal: NDArray[np.bool_]) -> int:
    """Bit a is 1 if action a is legal."""
    return int.from_bytes(np.packbits(legal, bitorder="little").tobytes(), "little")


def mixed_priors(
    priors: NDArray[np.floating], legal: NDArray[np.bool_], noise: Sequence[NDArray[np.float64]] | None, fraction: float
) -> NDArray[np.float64]:
    """Priors of roots that sum to 1 over the legal actions, with their share of noise (batch, actions)."""
    weights = np.where(legal, priors, 0).astype(np.float64)
    if noise is None:
        return weights
    return (1 - fraction) * weights / weights.sum(axis=1, keepdims=True) + fraction * np.where(legal, noise, 0)
