"""Samples for the tests of losses."""

import numpy as np

from rewardware.sw.reference.float import host


def loss_samples(rng, number_format, count, actions):
    """Action values, next ones, actions, rewards, discounts and weights; zeros, NaN and infinities among them."""

    def rounded(values):
        return host.from_bits(number_format, host.to_bits(number_format, values))

    values, following = rng.normal(0, 2, (2, count, actions))
    for column in (values, following):
        column[rng.random(column.shape) < 0.2] = -0.0
        column[rng.random(column.shape) < 0.2] = 0.0
        column[rng.random(column.shape) < 0.01] = np.inf
        column[rng.random(column.shape) < 0.01] = np.nan
    discounts = np.where(rng.random(count) < 0.3, 0, 0.99)
    others = rng.choice([-1.0, -0.0, 0.0, 1.0], count), discounts, rng.random(count) / count
    return rounded(values), rounded(following), rng.integers(0, actions, count), *map(rounded, others)
