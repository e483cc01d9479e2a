"""Actions that are drawn, their densities and derivatives against PyTorch in double precision."""

import numpy as np
import pytest
import torch

from rewardware.hw.cores.float.config import BFLOAT16, BINARY32
from rewardware.hw.cores.learner.squashed_gaussian_config import HIGHEST_LOGARITHM, LOWEST_LOGARITHM
from rewardware.sw.algorithms.policies import LOG_DEVIATION
from rewardware.sw.reference.float import host
from rewardware.sw.reference.learner.squashed_gaussian import squashed_gaussian, squashed_gaussian_derivative

from .oracle import as_torch

# A share of the temperature, negative as that of a loss by entropy.
SLOPE = -0.0125


def oracle(outputs, noises):
    """Actions and logarithms of their densities, by PyTorch's distributions."""
    mean, unbounded = outputs.chunk(2, 1)
    normal = torch.distributions.Normal(mean, unbounded.clamp(*LOG_DEVIATION).exp())
    before = mean + normal.stddev * noises
    squashing = torch.distributions.transforms.TanhTransform()
    actions = squashing(before)
    return actions, (normal.log_prob(before) - squashing.log_abs_det_jacobian(before, actions)).sum(1)


def test_bounds_are_those_of_the_algorithm():
    assert (LOWEST_LOGARITHM, HIGHEST_LOGARITHM) == LOG_DEVIATION


def test_draws_and_derivatives_are_pytorchs():
    rng = np.random.default_rng(1)
    outputs = np.concatenate([rng.normal(0, 3, (400, 3)), rng.normal(-1, 2, (400, 3))], 1).astype(np.float32)
    # On and beyond both bounds, and where tanh is 1 and its derivative next to 0.
    outputs[:4, 3:] = np.array([[-20, 2, -21], [3, -30, 2], [2.5, 2, -20], [0, 1, -20]])
    outputs[4:8, :3] = [[12, -12, 40], [-40, 9, 80], [0, -0.0, 1e-6], [5, -5, 20]]
    noises = rng.normal(0, 1, (400, 3)).astype(np.float32)
    wide = as_torch(outputs).requires_grad_()
    actions, log_densities = oracle(wide, as_torch(noises))
    errors = rng.normal(0, 0.1, (400, 3)).astype(np.float32)
    ((as_torch(errors) * actions).sum() - SLOPE * log_densities.sum()).backward()

    drawn = squashed_gaussian(BINARY32, outputs, noises)
    assert np.abs(drawn.actions - actions.detach().numpy()).max() < 1e-5
    # u is rounded, and the logarithm grows by at most 2 |u|, which is below 200.
    scale = np.maximum(1, np.abs(log_densities.detach().numpy()))
    assert (np.abs(drawn.log_densities - log_densities.detach().numpy()) / scale).max() < 1e-6
    found = squashed_gaussian_derivative(BINARY32, drawn, errors, np.full(1, SLOPE, np.float32))
    expected = wide.grad.numpy()
    assert (np.abs(found - expected) / np.maximum(1, np.abs(expected))).max() < 1e-5
    assert (found[:, 3:] == 0).sum() == (expected[:, 3:] == 0).sum() > 2


def test_derivative_is_that_of_the_formula():
    """Differences of the reference's own densities, where its rounding is small against the step."""
    rng = np.random.default_rng(2)
    outputs, noises = rng.normal(0, 1, (50, 2)).astype(np.float32), rng.normal(0, 1, (50, 1)).astype(np.float32)
    drawn = squashed_gaussian(BINARY32, outputs, noises)
    slopes = squashed_gaussian_derivative(BINARY32, drawn, np.zeros((50, 1), np.float32), np.float32([-1]))
    for place in range(2):
        step = np.zeros(2, np.float32)
        step[place] = 2.0**-6
        above, below = (squashed_gaussian(BINARY32, outputs + sign * step, noises).log_densities for sign in (1, -1))
        assert np.abs((above - below) / 2.0**-5 - slopes[:, place]).max() < 5e-3 * max(1, np.abs(slopes).max())


@pytest.mark.parametrize("number_format", [BINARY32, BFLOAT16.flushing()], ids=str)
def test_what_is_not_finite(number_format):
    infinity, nan = np.inf, np.nan
    outputs = host.from_bits(
        number_format,
        host.to_bits(number_format, np.array([[nan, 0], [0, nan], [infinity, 0], [0, infinity], [0, -infinity]])),
    )
    drawn = squashed_gaussian(number_format, outputs, np.ones_like(outputs[:, :1]))
    assert np.isnan(drawn.actions[:2]).all() and np.isnan(drawn.log_densities[:2]).all()
    assert drawn.actions[2, 0] == 1 and drawn.log_densities[2] == infinity
    # Infinite logarithms are kept at the bounds.
    assert np.isfinite(drawn.actions[3:]).all() and np.isfinite(drawn.log_densities[3:]).all()
    assert drawn.within[:, 0].tolist() == [True, True, True, False, False]
