"""Samples and weights for the tests of learners."""

import numpy as np

from rewardware.sw.reference.float import host
from rewardware.sw.reference.learner.sac_learner import SACBatch
from rewardware.sw.reference.learner_batch import LearnerBatch


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


def twin_loss_samples(rng, number_format, count):
    """Two critics' values and next ones; logarithms of densities, a temperature, rewards, discounts and weights."""
    values, following, _, *rest = loss_samples(rng, number_format, count, 2)
    pairs = ([each[:, :1], each[:, 1:]] for each in (values, following))
    others, _, _, *_ = loss_samples(rng, number_format, count, 1)
    return *pairs, others[:, 0], host.from_bits(number_format, host.to_bits(number_format, [0.2])), *rest


def random_batch(rng, sizes, count):
    """Samples of a DQN's learner."""
    return LearnerBatch(
        observations=rng.normal(0, 1, (count, sizes[0])).astype(np.float32),
        actions=rng.integers(0, sizes[-1], count),
        rewards=rng.normal(0, 1, count).astype(np.float32),
        discounts=np.where(rng.random(count) < 0.2, 0, np.float32(0.99)),
        next_observations=rng.normal(0, 1, (count, sizes[0])).astype(np.float32),
        weights=(rng.random(count) / count).astype(np.float32),
    )


def random_ddpg_batch(rng, sizes, count):
    """Samples of a learner of a policy, whose actor has these sizes."""
    return LearnerBatch(
        observations=rng.normal(0, 1, (count, sizes[0])).astype(np.float32),
        actions=rng.uniform(-1, 1, (count, sizes[-1])).astype(np.float32),
        rewards=rng.normal(0, 1, count).astype(np.float32),
        discounts=np.where(rng.random(count) < 0.2, 0, np.float32(0.99)),
        next_observations=rng.normal(0, 1, (count, sizes[0])).astype(np.float32),
        weights=(rng.random(count) / count).astype(np.float32),
    )


def random_sac_batch(rng, sizes, count):
    """Samples of a learner of a policy that draws actions, whose actor has these sizes."""
    actions = sizes[-1] // 2
    noises, next_noises = rng.normal(0, 1, (2, count, actions)).astype(np.float32)
    given = random_ddpg_batch(rng, (*sizes[:-1], actions), count)
    return SACBatch(**vars(given), noises=noises, next_noises=next_noises)


def random_weights(rng, sizes):
    """Weights of each layer, biases included; some are zeros."""
    weights = []
    for inputs, outputs in zip(sizes[:-1], sizes[1:], strict=True):
        layer = rng.normal(0, inputs**-0.5, (inputs + 1, outputs)).astype(np.float32)
        layer[rng.random(layer.shape) < 0.1] = 0
        weights.append(layer)
    return weights
