"""The temporal-difference loss against bit patterns, one sample after another, and against PyTorch."""

import numpy as np
import pytest
import torch

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32
from rewardware.sw.reference.float import arithmetic, comparison, host
from rewardware.sw.reference.learner.temporal_difference_loss import temporal_difference_loss

from .stimulus import loss_samples


@pytest.mark.parametrize("number_format", [BINARY16, BFLOAT16.flushing(), BINARY32], ids=str)
@pytest.mark.parametrize("huber", [False, True])
@pytest.mark.parametrize("actions", [1, 3])
def test_bit_by_bit(number_format, huber, actions):
    given = loss_samples(np.random.default_rng(actions), number_format, 400, actions)
    loss = temporal_difference_loss(number_format, *given, huber=huber)
    derivatives, priorities = (host.to_bits(number_format, part) for part in loss)
    values, following, _, rewards, discounts, weights = (host.to_bits(number_format, part) for part in given)
    one, sign = number_format.one, number_format.sign_bit
    for sample, action in enumerate(given[2]):
        best = following[sample, 0]
        for other in following[sample, 1:]:
            best = comparison.maximum(number_format, best, other)
        target = arithmetic.multiply(number_format, discounts[sample], best)
        target = arithmetic.add(number_format, rewards[sample], target)
        error = arithmetic.subtract(number_format, values[sample, action], target)
        # NaN has no sign.
        magnitude = error if error == number_format.quiet_nan else error & ~sign
        assert priorities[sample] == magnitude
        slope = error
        if huber:
            slope = comparison.minimum(number_format, one, comparison.maximum(number_format, one | sign, error))
        expected = np.zeros(actions, np.int64)
        expected[action] = arithmetic.multiply(number_format, weights[sample], slope)
        assert (derivatives[sample] == expected).all()


@pytest.mark.parametrize("huber", [False, True])
def test_derivatives_are_pytorchs(huber):
    rng = np.random.default_rng(7)
    values, following = rng.normal(0, 2, (2, 64, 4)).astype(np.float32)
    actions, rewards = rng.integers(0, 4, 64), rng.normal(0, 1, 64).astype(np.float32)
    discounts = np.where(rng.random(64) < 0.3, 0, 0.99).astype(np.float32)
    weights = rng.random(64).astype(np.float32)
    loss = temporal_difference_loss(BINARY32, values, following, actions, rewards, discounts, weights, huber=huber)
    wide = torch.tensor(values.astype(np.float64), requires_grad=True)
    target = torch.tensor(rewards + discounts * following.astype(np.float64).max(axis=1))
    chosen = wide[torch.arange(64), torch.tensor(actions)]
    errors = chosen - target
    each = torch.nn.functional.huber_loss(chosen, target, reduction="none") if huber else errors**2 / 2
    (torch.tensor(weights.astype(np.float64)) * each).sum().backward()
    # Values below 16, rounded four times.
    bound = 4 * 16 * 2**-24
    assert np.abs(loss.derivatives - wide.grad.numpy()).max() < bound
    assert np.abs(loss.priorities - errors.detach().abs().numpy()).max() < bound
