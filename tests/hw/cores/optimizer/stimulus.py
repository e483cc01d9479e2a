"""Words and rates for the optimiser's tests."""

from dataclasses import dataclass

import numpy as np

LEAST, GREATEST = -(1 << 31), (1 << 31) - 1


@dataclass(frozen=True, kw_only=True)
class Rates:
    """The registers of a step."""

    one_minus_beta1: int = 104858
    one_minus_beta2: int = 1049
    tau: int = 5243
    epsilon_squared: int = 1


# Usual ones, the largest of all, none at all, and odd ones.
RATES = (
    Rates(),
    Rates(one_minus_beta1=1 << 20, one_minus_beta2=1 << 20, tau=1 << 20, epsilon_squared=(1 << 32) - 1),
    Rates(one_minus_beta1=0, one_minus_beta2=0, tau=0),
    Rates(one_minus_beta1=777_777, one_minus_beta2=1, tau=999_999, epsilon_squared=12_345),
)


def words(rng, shape):
    """Signed words of every magnitude, a few of them corners."""
    values = rng.integers(LEAST, GREATEST + 1, shape) >> rng.integers(0, 32, shape)
    corners = np.array([0, 1, -1, LEAST, GREATEST])
    return np.where(rng.random(shape) < 0.1, rng.choice(corners, shape), values)


def second_moments(rng, shape):
    """From 0 to 2^62, of every magnitude."""
    values = rng.integers(0, (1 << 62) + 1, shape, dtype=np.uint64) >> rng.integers(0, 63, shape, dtype=np.uint64)
    corners = np.array([0, 1, 1 << 62, (1 << 62) - 1], dtype=np.uint64)
    return np.where(rng.random(shape) < 0.1, rng.choice(corners, shape), values)
