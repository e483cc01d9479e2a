"""The fixed-point optimiser against exact fractions and against PyTorch's Adam."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor, isqrt, sqrt, trunc

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from rewardware.hw.cores.function.tables import reciprocal_square_root_table
from rewardware.sw.reference.optimizer.adam import ONE, AdamReference, advance_powers, corrected_step

LEAST, GREATEST = -(1 << 31), (1 << 31) - 1


@dataclass(frozen=True)
class Rates:
    one_minus_beta1: int = 104858
    one_minus_beta2: int = 1049
    tau: int = 5243
    epsilon_squared: int = 1


def half_up(value):
    return floor(value + Fraction(1, 2))


def exact_step(weight, target, gradient, first, second, step_size, rates, weight_fraction):
    """The equations of the documentation, in fractions."""
    one = 1 << 20
    first = trunc(first + Fraction((gradient - first) * rates.one_minus_beta1, one))
    second += floor(Fraction((gradient * gradient - second) * rates.one_minus_beta2, one))
    total = second + rates.epsilon_squared
    zeros = 64 - total.bit_length() & ~1
    normal = total << zeros
    table = reciprocal_square_root_table().values
    low, high = table[(normal >> 56) - 64], table[(normal >> 56) - 63]
    root = half_up(low + Fraction((high - low) * (normal >> 40 & 0xFFFF), 1 << 16))
    ratio = max(-(1 << 27), min((1 << 27) - 1, floor(Fraction(first * root, 1 << 4 + (64 - zeros) // 2))))
    moved = weight - half_up(Fraction(ratio * step_size, 1 << 52 - weight_fraction))
    weight = max(LEAST, min(GREATEST, moved))
    target += half_up(Fraction((weight - target) * rates.tau, one))
    return [weight, target, first, second], moved != weight


def magnitudes(width):
    """Signed words of every order."""
    return st.integers(0, width).flatmap(lambda bits: st.integers(-(1 << bits), (1 << bits) - 1))


WORD = magnitudes(31)
RATE = st.one_of(st.integers(0, 1 << 20), st.sampled_from([0, 1, 1 << 20]))
CORNER = Rates(1 << 20, 1 << 20, 1 << 20, (1 << 32) - 1)


@given(
    words=st.lists(st.tuples(WORD, WORD, WORD, WORD, magnitudes(62).map(abs)), min_size=1, max_size=5),
    step_size=st.integers(0, 32).flatmap(lambda bits: st.integers(0, (1 << bits) - 1)),
    rates=st.builds(Rates, RATE, RATE, RATE, st.integers(0, 31).map(lambda bits: 1 << bits)),
    weight_fraction=st.integers(20, 30),
)
@example(words=[(LEAST, GREATEST, GREATEST, LEAST, 1 << 62)], step_size=(1 << 32) - 1, rates=CORNER, weight_fraction=24)
@example(words=[(GREATEST, LEAST, LEAST, GREATEST, 0)], step_size=(1 << 32) - 1, rates=CORNER, weight_fraction=30)
@example(words=[(0, 0, 0, 0, 0)], step_size=0, rates=Rates(0, 0, 0, 1), weight_fraction=20)
def test_every_rounding_is_exact(words, step_size, rates, weight_fraction):
    expected = [exact_step(*element, step_size, rates, weight_fraction) for element in words]
    weight, target, gradient, first = (np.array([e[i] for e in words], dtype=np.int64) for i in range(4))
    second = np.array([e[4] for e in words], dtype=np.uint64)
    adam = AdamReference(weight_fraction, chunk=2)
    saturated = adam.update(weight, target, gradient, first, second, step_size=step_size, rates=rates)
    results = np.array([weight, target, first, second.astype(np.int64)]).T
    assert results.tolist() == [values for values, _ in expected]
    assert saturated == sum(clamped for _, clamped in expected)
    assert gradient.tolist() == [element[2] for element in words]


@given(steps=st.integers(1, 400), first=RATE, second=RATE, learning_rate=st.integers(0, (1 << 32) - 1))
@example(steps=2, first=0, second=5, learning_rate=9)
@example(steps=2, first=1 << 20, second=1 << 20, learning_rate=(1 << 32) - 1)
def test_step_size(steps, first, second, learning_rate):
    powers = [ONE, ONE]
    expected = [Fraction(1), Fraction(1)]
    for _ in range(steps):
        powers = advance_powers(powers, Rates(first, second))
        for index, rate in enumerate((first, second)):
            exact = expected[index] * ONE * (1 - Fraction(rate, 1 << 20))
            expected[index] = Fraction(floor(exact), ONE)
    assert powers == [power * ONE for power in expected]
    step_size = corrected_step(powers, learning_rate)
    if powers[0] == ONE:
        assert step_size == (1 << 32) - 1
    else:
        root = isqrt((ONE - powers[1]) * ONE)
        assert step_size == min((1 << 32) - 1, floor(Fraction(learning_rate * root, ONE - powers[0])))
        ideal = learning_rate * sqrt(1 - powers[1] / ONE) / (1 - powers[0] / ONE)
        assert step_size == pytest.approx(min(ideal, (1 << 32) - 1), rel=1e-4, abs=2 + learning_rate * 1e-3)


def test_trajectory_follows_pytorch():
    """A badly conditioned least squares problem, 400 steps.

    Each step is wrong by at most the learning rate times the error of the root (2.4e-5) and of the ratio (2^-20), and
    by the rounding of the weight (2^-25); Adam does not amplify that on the way to a minimum that is still far.
    """
    rng = np.random.default_rng(8)
    size, steps, learning_rate = 48, 400, 2e-3
    matrix = rng.normal(size=(64, size)) * np.logspace(-1, 1, size)
    goal, start = rng.normal(size=size), rng.normal(size=size)
    rates = Rates()

    words = np.round(start * 2.0**24).astype(np.int64)
    target, first, second = words.copy(), np.zeros(size, np.int64), np.zeros(size, np.uint64)
    powers, adam = [ONE, ONE], AdamReference(24)
    parameter = torch.tensor(words / 2.0**24, requires_grad=True)
    betas = 1 - rates.one_minus_beta1 / 2**20, 1 - rates.one_minus_beta2 / 2**20
    oracle = torch.optim.Adam([parameter], lr=learning_rate, betas=betas, eps=0)
    oracle_target = parameter.detach().clone()
    worst = worst_target = 0.0
    for _ in range(steps):
        gradient = np.round(matrix.T @ (matrix @ (words / 2.0**24 - goal)) * 2.0**16).astype(np.int64)
        powers = advance_powers(powers, rates)
        step_size = corrected_step(powers, round(learning_rate * 2**32))
        assert adam.update(words, target, gradient, first, second, step_size=step_size, rates=rates) == 0
        parameter.grad = torch.tensor(matrix.T @ (matrix @ (parameter.detach().numpy() - goal)))
        oracle.step()
        oracle_target += (parameter.detach() - oracle_target) * (rates.tau / 2**20)
        worst = max(worst, np.abs(words / 2.0**24 - parameter.detach().numpy()).max())
        worst_target = max(worst_target, np.abs(target / 2.0**24 - oracle_target.numpy()).max())
    moved = np.abs(parameter.detach().numpy() - start).max()
    assert moved > 0.3
    bound = steps * (learning_rate * (2.4e-5 + 2.0**-20) + 2.0**-25)
    assert worst < bound and worst_target < bound


def test_weight_rests_where_the_gradient_has_died():
    """Whatever the moments were, they decay to nothing, and the weight stays where it is."""
    rates = Rates()
    first = np.arange(-1000, 1000)
    second = (first * first).astype(np.uint64)
    weight, target, gradient = np.zeros((3, len(first)), np.int64)
    reference = AdamReference()
    for step in range(40_000):
        if step == 30_000:
            assert not first.any()
            before = weight.copy()
        reference.update(weight, target, gradient, first, second, step_size=4_294_967, rates=rates)
    assert np.array_equal(weight, before)
    # The whole way is some tens of steps of the learning rate, however long it lasts.
    assert np.abs(weight).max() < 100 * 4_294_967 >> 8
