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
# An operation rounds by this much, relative to its result; the exponential is off by four such.
UNIT = 2.0**-24
EXPONENTIAL = 4 * UNIT


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
    # The derivative is that of all rows, or of the first ones; slopes lie beside others in memory.
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
    assert (still.actions - means.double().tanh()).abs().max() <= 2 * UNIT
    slopes = torch.ones(5001, 1)
    moved = SquashedNormal(torch.cat((torch.full_like(means, -20), logarithms), 1), slopes, BOUNDS)
    # Where the action is -1 the derivative by a logarithm is the deviation's alone: (-2 * deviation - 1), rounded once.
    exact = -2 * logarithms[:, 0].double().exp() - 1
    wrong = (moved.derivative(slopes, 1.0)[:, 1] - exact).abs()
    assert (wrong <= EXPONENTIAL * (exact + 1).abs() + UNIT * exact.abs()).all()


def test_actions_densities_and_derivatives_are_those_of_pytorch():
    """Within what the roundings of the source come to: errors go through the formulas as the numbers do."""
    outputs, noise = drawn_from(np.random.default_rng(2), 300, 6, 3)
    drawn = SquashedNormal(torch.from_numpy(outputs), torch.from_numpy(noise), BOUNDS)
    given, random = torch.from_numpy(outputs).double().requires_grad_(), torch.from_numpy(noise).double()
    mean, logarithm = given.chunk(2, 1)
    logarithm = logarithm.clamp(*BOUNDS)
    spread = logarithm.exp() * random
    before = mean + spread
    actions = before.tanh()
    wrong_spread = (EXPONENTIAL + UNIT) * spread.abs()
    wrong_before = wrong_spread + UNIT * before.abs()
    # No slope of the hyperbolic tangent is more than 1.
    wrong_action = wrong_before + 2 * UNIT
    assert ((drawn.actions - actions).abs() <= wrong_action).all()

    normal = torch.distributions.Normal(mean, logarithm.exp()).log_prob(before)
    squashed = 2 * (np.log(2) - before - torch.nn.functional.softplus(-2 * before))
    density = (normal - squashed).sum(1, keepdim=True)
    # Sizes of the terms, each of which is rounded a few times, and the sum of them once a column.
    sizes = squashed.abs() + 2 * before.abs() + random**2 + logarithm.abs() + 3
    bound = (2 * wrong_before + (8 + noise.shape[1]) * UNIT * sizes).sum(1, keepdim=True)
    assert ((drawn.log_density - density).abs() <= bound).all()

    slopes, weight = random.flip(0), float(np.float32(0.3))
    # A log density's derivative by its own action's normal density is that of the noise, which stands still.
    fixed = (-0.5 * random**2 - logarithm - squashed).sum()
    ((slopes * actions).sum() + weight * fixed).backward()
    sizes = slopes.abs() + 2 * weight
    wrong_mean = sizes * (2 * wrong_action + 4 * UNIT)
    by_mean = sizes * spread.abs()
    wrong_logarithm = wrong_mean * spread.abs() + sizes * wrong_spread + 3 * UNIT * (by_mean + weight)
    found = drawn.derivative(slopes.float(), weight)
    assert ((found - given.grad).abs() <= torch.cat((wrong_mean, wrong_logarithm), 1)).all()
