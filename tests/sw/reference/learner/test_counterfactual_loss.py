"""The loss of MAAC's policies against PyTorch's autograd in double precision."""

import numpy as np
import pytest
import torch

from rewardware.hw.cores.float.config import BFLOAT16, BINARY32
from rewardware.sw.reference.attention.softmax import shares
from rewardware.sw.reference.float import host
from rewardware.sw.reference.learner.counterfactual_loss import counterfactual_loss

ENTROPY_SHARE, SAMPLES, ACTIONS = 0.2, 60, 5


def samples(number_format):
    """Logits, which actions there are, values, and actions that were drawn."""
    random = np.random.default_rng(8)
    logits, values = (
        host.from_bits(number_format, host.to_bits(number_format, random.normal(0, 2, (SAMPLES, ACTIONS))))
        for _ in range(2)
    )
    available = random.integers(1, ACTIONS + 1, SAMPLES)
    return logits, np.arange(ACTIONS) < available[:, None], values, random.integers(0, available)


def losses(number_format, logits, present, values, choices):
    """Results of the reference."""
    settings = [
        host.from_bits(number_format, host.to_bits(number_format, np.float64(number)))
        for number in (ENTROPY_SHARE, 1 / SAMPLES)
    ]
    return counterfactual_loss(number_format, shares(number_format, logits, present), values, choices, *settings)


@pytest.mark.parametrize(("number_format", "bound"), [(BINARY32, 1e-6), (BFLOAT16.flushing(), 0.02)])
def test_derivatives_are_those_of_autograd(number_format, bound):
    logits, present, values, choices = samples(number_format)
    found = losses(number_format, logits, present, values, choices)
    leaf = torch.tensor(logits.astype(np.float64), requires_grad=True)
    there, worth = torch.from_numpy(present), torch.from_numpy(values.astype(np.float64))
    logs = torch.log_softmax(leaf.masked_fill(~there, -torch.inf), 1)
    taken = torch.from_numpy(choices)[:, None]
    log = logs.gather(1, taken)[:, 0]
    advantage = worth.gather(1, taken)[:, 0] - (logs.exp() * worth).sum(1)
    (log * (log * ENTROPY_SHARE - advantage).detach()).mean().backward()
    for name, wanted in (("derivatives", leaf.grad), ("logarithms", log), ("advantages", advantage)):
        wanted = wanted.detach().numpy()
        assert np.abs(getattr(found, name) - wanted).max() < bound * np.abs(wanted).max(), name
    assert not found.derivatives[~present].any() and found.derivatives[present].any()


def test_values_of_actions_that_are_not_there_count_for_nothing():
    logits, present, values, choices = samples(BINARY32)
    expected = losses(BINARY32, logits, present, values, choices)
    for worth in (np.nan, np.inf, -1e30, -0.0):
        found = losses(BINARY32, logits, present, np.where(present, values, np.float32(worth)), choices)
        for one, other in zip(found, expected, strict=True):
            assert one.tobytes() == other.tobytes()


def test_a_single_action_has_no_advantage():
    logits, _, values, choices = samples(BINARY32)
    found = losses(BINARY32, logits, np.arange(ACTIONS) < 1 + 0 * choices[:, None], values, 0 * choices)
    assert not found.derivatives.any() and not found.advantages.any() and not found.logarithms.any()
