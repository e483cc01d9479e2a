"""The reference of RMSprop against PyTorch's."""

import numpy as np
import torch

from rewardware.hw.cores.float.config import BINARY32
from rewardware.sw.reference.optimizer.rms_prop import rms_prop

RATES = {"decay": 0.97, "one_minus_decay": 0.03, "learning_rate": 1e-3, "epsilon": 1e-3}


def bits_of(values):
    return np.asarray(values).astype(np.float32).view(np.uint32).astype(np.int64)


def test_reference():
    """Fifty steps in binary32 against torch.optim.RMSprop in double precision."""
    random = np.random.default_rng(1)
    start = random.normal(0, 1, 500).astype(np.float32)
    parameter = torch.nn.Parameter(torch.tensor(start, dtype=torch.float64))
    optimizer = torch.optim.RMSprop([parameter], lr=RATES["learning_rate"], alpha=RATES["decay"], eps=RATES["epsilon"])
    rates = {name: bits_of(value) for name, value in RATES.items()}
    weight, square = bits_of(start), np.zeros(500, np.int64)
    for _ in range(50):
        gradient = (random.normal(0, 1, 500) * 2.0 ** random.integers(-8, 8, 500)).astype(np.float32)
        weight, square = rms_prop(BINARY32, weight, square, bits_of(gradient), **rates)
        parameter.grad = torch.tensor(gradient, dtype=torch.float64)
        optimizer.step()
    got = weight.astype(np.uint32).view(np.float32)
    # A step is at most rate / sqrt(1 - alpha); its factors and every sum are rounded to 24 bits.
    bound = 50 * (2**-24 * 8 + RATES["learning_rate"] / np.sqrt(RATES["one_minus_decay"]) * 2**-20)
    assert np.abs(got - parameter.detach().numpy()).max() < bound
