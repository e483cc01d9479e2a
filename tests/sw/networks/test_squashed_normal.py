"""Drawn actions against their reference by equality, and against PyTorch in float64."""

import numpy as np
import pytest
import torch

from rewardware.hw.cores.float.config import BINARY32
from rewardware.sw.networks import squashed_normal
from rewardware.sw.networks.native.library import load_passes
from rewardware.sw.networks.squashed_normal import SquashedNormal
from rewardware.sw.reference.float.host import to_bits

from .squashed_normal_reference import SquashedNormalReference
from .test_network import SHORTER

BOUNDS = -20.0, 2.0
SHAPES = [(1, 1), (7, 3), (33, 6), (0, 2)]


def drawn_from(generator, rows, columns, wide=1.0):
    """Outputs and noise; means and logarithms of deviations go beyond all bounds where ``wide`` is large."""
    outputs = generator.normal(0, wide, (rows, 2 * columns)).astype(np.float32)
    return outputs, generator.normal(size=(rows, columns)).astype(np.float32)


def same(found, expected):
    return np.array_equal(to_bits(BINARY32, found.numpy()), to_bits(BINARY32, expected))


def check(outputs, noise):
    drawn = SquashedNormal(torch.from_numpy(outputs), torch.from_numpy(noise), BOUNDS)
    expected = SquashedNormalReference(outputs, noise, BOUNDS)
    assert same(drawn.actions, expected.actions) and same(drawn.log_density, expected.log_density)
    # Of all rows, and of the first ones, which lie beside others.
    slopes = np.cos(np.arange(noise.size, dtype=np.float32)).reshape(noise.shape)
    beside = torch.from_numpy(np.concatenate((slopes, slopes), 1))[:, noise.shape[1] :]
    for rows in (len(noise), len(noise) // 2):
        assert same(drawn.derivative(beside[:rows], 0.3), expected.derivative(slopes[:rows], 0.3))


@pytest.mark.parametrize("flags", [(), *SHORTER], ids=" ".join)
@pytest.mark.parametrize(("rows", "columns"), SHAPES)
def test_actions_are_those_of_the_reference(rows, columns, flags, monkeypatch):
    monkeypatch.setattr(squashed_normal, "native_library", lambda: load_passes(*flags))
    generator = np.random.default_rng(0)
    for wide in (0.01, 1, 30):
        check(*drawn_from(generator, rows, columns, wide))


def test_numbers_at_the_ends_of_their_range_are_those_of_the_reference():
    generator = np.random.default_rng(1)
    special = np.array([np.inf, -np.inf, np.nan, 0, -0.0, 3e38, -3e38, 1e-45, -20, 2, 44, -43.5], np.float32)
    outputs = np.stack(np.meshgrid(special, special), -1).reshape(-1, 2)
    with np.errstate(all="ignore"):
        for _ in range(2):
            check(outputs, generator.choice([-2, -0.0, 0.5], (len(outputs), 1)).astype(np.float32))


def test_what_is_no_number_stays_none():
    drawn = SquashedNormal(torch.tensor([[torch.nan, 0.0], [0.0, torch.nan]]), torch.ones(2, 1), BOUNDS)
    assert drawn.actions.isnan().all() and drawn.log_density.isnan().all()


def test_functions_are_within_units_of_the_last_place():
    """Without noise an action is a mean's hyperbolic tangent; with as much as 1 the deviation is an exponential."""
    means = torch.linspace(-12, 12, 5001)[:, None]
    logarithms = torch.linspace(-20, 2, 5001)[:, None]
    still = SquashedNormal(torch.cat((means, logarithms), 1), torch.zeros(5001, 1), BOUNDS)
    assert torch.allclose(still.actions.double(), means.double().tanh(), rtol=0, atol=2 * 2.0**-24)
    slopes = torch.ones(5001, 1)
    moved = SquashedNormal(torch.cat((torch.full_like(means, -20), logarithms), 1), slopes, BOUNDS)
    # Where the action is -1 the derivative by a logarithm is the deviation's alone.
    deviation = (moved.derivative(slopes, 1.0)[:, 1] + 1) / -2
    assert torch.allclose(deviation.double(), logarithms[:, 0].double().exp(), rtol=1e-6, atol=2.0**-23)


def test_actions_densities_and_derivatives_are_those_of_pytorch():
    outputs, noise = drawn_from(np.random.default_rng(2), 300, 6, 3)
    drawn = SquashedNormal(torch.from_numpy(outputs), torch.from_numpy(noise), BOUNDS)
    given = torch.from_numpy(outputs).double().requires_grad_()
    mean, logarithm = given.chunk(2, 1)
    deviation = logarithm.clamp(*BOUNDS).exp()
    before = mean + deviation * torch.from_numpy(noise)
    actions = before.tanh()
    assert torch.allclose(drawn.actions.double(), actions, rtol=0, atol=1e-6)
    normal = torch.distributions.Normal(mean, deviation).log_prob(before)
    squashed = 2 * (np.log(2) - before - torch.nn.functional.softplus(-2 * before))
    density = (normal - squashed).sum(1, keepdim=True)
    assert torch.allclose(drawn.log_density.double(), density, rtol=1e-5, atol=1e-5)
    slopes = torch.from_numpy(noise).flip(0)
    # A log density's derivative by its own action's normal density is that of the noise, which stands still.
    fixed = (-0.5 * torch.from_numpy(noise) ** 2 - logarithm.clamp(*BOUNDS) - squashed).sum()
    ((slopes * actions).sum() + 0.3 * fixed).backward()
    assert torch.allclose(drawn.derivative(slopes, 0.3).double(), given.grad, rtol=1e-4, atol=1e-5)
