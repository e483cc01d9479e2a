"""The losses of two critics against bit patterns, one sample after another, and against PyTorch."""

import numpy as np
import pytest
import torch

from rewardware.hw.cores.float.config import BFLOAT16, BINARY32
from rewardware.sw.reference.float import arithmetic, comparison, host
from rewardware.sw.reference.learner.twin_critic_loss import lesser_value_errors, twin_critic_loss

from .oracle import as_torch
from .stimulus import twin_loss_samples


@pytest.mark.parametrize("number_format", [BFLOAT16.flushing(), BINARY32], ids=str)
@pytest.mark.parametrize("huber", [False, True])
def test_bit_by_bit(number_format, huber):
    given = twin_loss_samples(np.random.default_rng(1), number_format, 400)
    loss = twin_critic_loss(number_format, *given, huber=huber)
    derivatives = [host.to_bits(number_format, part[:, 0]) for part in loss.derivatives]
    priorities = host.to_bits(number_format, loss.priorities)
    values, next_values = ([host.to_bits(number_format, each[:, 0]) for each in pair] for pair in given[:2])
    log_densities, temperature, *rest = (host.to_bits(number_format, part) for part in given[2:])
    one, sign, half = number_format.one, number_format.sign_bit, number_format.nearest(0.5)
    for sample, (log_density, reward, discount, weight) in enumerate(zip(log_densities, *rest, strict=True)):
        lesser = comparison.minimum(number_format, next_values[0][sample], next_values[1][sample])
        entropy = arithmetic.multiply(number_format, temperature[0], log_density)
        following = arithmetic.subtract(number_format, lesser, entropy)
        target = arithmetic.add(number_format, reward, arithmetic.multiply(number_format, discount, following))
        total = []
        for value, derivative in zip(values, derivatives, strict=True):
            error = arithmetic.subtract(number_format, value[sample], target)
            total.append(error if error == number_format.quiet_nan else error & ~sign)
            if huber:
                error = comparison.minimum(number_format, one, comparison.maximum(number_format, one | sign, error))
            assert derivative[sample] == arithmetic.multiply(number_format, weight, error)
        mean = arithmetic.multiply(number_format, half, arithmetic.add(number_format, *total))
        assert priorities[sample] == mean


def test_lesser_value():
    nan = np.nan
    values = [
        np.float32([[each] for each in column]) for column in ((1, 2, 0.0, -0.0, nan, 1), (2, 1, -0.0, 0, 1, nan))
    ]
    first, second = lesser_value_errors(values, np.float32([-0.5]))
    assert first[:, 0].tolist() == [-0.5, 0, -0.5, -0.5, -0.5, -0.5]
    assert second[:, 0].tolist() == [0, -0.5, 0, 0, 0, 0]


def test_lesser_value_is_pytorchs():
    values = [np.random.default_rng(place).normal(0, 1, (50, 1)).astype(np.float32) for place in range(2)]
    one, other = (as_torch(each).requires_grad_() for each in values)
    (-torch.minimum(one, other).mean()).backward()
    found = lesser_value_errors(values, np.float32([-1 / 50]))
    for errors, wide in zip(found, (one, other), strict=True):
        assert np.abs(errors - wide.grad.numpy()).max() < 1e-8
