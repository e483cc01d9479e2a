"""The references of Adam and SGD in floating point against PyTorch's."""

import numpy as np
import torch

from rewardware.hw.cores.float.config import BINARY32
from rewardware.sw.reference.optimizer.float_adam import AdamRates, float_adam
from rewardware.sw.reference.optimizer.sgd import sgd


def bits_of(values):
    return np.asarray(values).astype(np.float32).view(np.uint32).astype(np.int64)


def numbers_of(bits):
    return bits.astype(np.uint32).view(np.float32)


def random_gradient(random):
    return (random.normal(0, 1, 500) * 2.0 ** random.integers(-8, 8, 500)).astype(np.float32)


def test_adam():
    """Fifty steps in binary32 against torch.optim.Adam in double precision."""
    random = np.random.default_rng(1)
    start = random.normal(0, 1, 500).astype(np.float32)
    parameter = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))
    optimizer = torch.optim.Adam([parameter], lr=1e-3)
    weight, first, second = bits_of(start), np.zeros(500, np.int64), np.zeros(500, np.int64)
    for step in range(1, 51):
        gradient = random_gradient(random)
        rates = AdamRates.of_step(step).rounded(BINARY32)
        weight, first, second = float_adam(BINARY32, weight, first, second, bits_of(gradient), rates)
        parameter.grad = torch.tensor(gradient, dtype=torch.float64)
        optimizer.step()
    # A step is about the rate, its factors rounded to 24 bits, and so is the weight, below 8. beta2 is rounded by up
    # to 2**-25, which is 2**-15 of the rest to one: the root of the second moment is off by half of that.
    bound = 50 * (2**-24 * 8 + 1e-3 * 2**-14)
    assert np.abs(numbers_of(weight) - parameter.detach().numpy()).max() < bound


def test_sgd():
    """In float32 NumPy's multiplication and subtraction have the same bits."""
    random = np.random.default_rng(2)
    weight, gradient = random.normal(0, 1, 500).astype(np.float32), random_gradient(random)
    expected = weight - np.float32(0.01) * gradient
    assert (sgd(BINARY32, bits_of(weight), bits_of(gradient), bits_of(0.01)) == bits_of(expected)).all()
