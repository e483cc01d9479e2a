"""Reference of the activation unit against exact integers and against real functions."""

from fractions import Fraction
from math import floor, tanh

import numpy as np
import pytest

from rewardware.hw.cores.array.config import Operation
from rewardware.sw.reference.array.activation_unit import activate
from tests.hw.cores.stimulus import WORD_CORNERS, mixed

ONE = 1 << 20
LIMIT = 1 << 31


def rounded(value):
    return floor(Fraction(value, ONE) + Fraction(1, 2))


EXACT = {
    Operation.IDENTITY: lambda x, a, n: x,
    Operation.RELU: lambda x, a, n: max(x, 0),
    Operation.RELU_GRADIENT: lambda x, a, n: x if a > 0 else 0,
    Operation.TANH_GRADIENT: lambda x, a, n: rounded(x * (ONE - min(max(a, -ONE), ONE) ** 2 // ONE)),
    Operation.MULTIPLY_ADD: lambda x, a, n: a + rounded(x * n),
    Operation.DIFFERENCE: lambda x, a, n: x - a,
}


@pytest.mark.parametrize("operation", EXACT)
def test_equals_exact_integers(operation):
    rng = np.random.default_rng(operation)
    x, auxiliary, factor = mixed(rng, (3, 4000), 32, WORD_CORNERS)
    words, saturated = activate(operation, x, auxiliary, factor=factor)
    for i, arguments in enumerate(zip(x.tolist(), auxiliary.tolist(), factor.tolist(), strict=True)):
        exact = EXACT[operation](*arguments)
        assert words[i] == min(max(exact, -LIMIT), LIMIT - 1), arguments
        assert saturated[i] == (not -LIMIT <= exact < LIMIT), arguments


def test_tanh_with_and_without_noise():
    rng = np.random.default_rng(1)
    x, noise = mixed(rng, (2, 2000), 24)
    expected = np.array([tanh(value / ONE) for value in x.tolist()])
    plain, _ = activate(Operation.TANH, x)
    noisy, saturated = activate(Operation.TANH_NOISE, x, noise)
    assert np.abs(plain / ONE - expected).max() < 8e-6
    assert np.abs(noisy / ONE - np.clip(expected + noise / ONE, -1, 1)).max() < 8e-6
    assert not saturated.any()


def test_gradients_are_those_of_the_functions():
    x = np.full(5, 3 * ONE)
    activation = np.array([-ONE, -ONE // 2, 0, ONE // 4, ONE])
    assert activate(Operation.TANH_GRADIENT, x, activation)[0].tolist() == [0, 9 * ONE // 4, 3 * ONE, 45 * ONE // 16, 0]
    assert activate(Operation.RELU_GRADIENT, x, activation)[0].tolist() == [0, 0, 0, 3 * ONE, 3 * ONE]
    positive = np.array([1, 0, 1, 0, 0], bool)
    assert activate(Operation.RELU_GRADIENT, x, activation, positive=positive)[0].tolist() == [
        3 * ONE,
        0,
        3 * ONE,
        0,
        0,
    ]
