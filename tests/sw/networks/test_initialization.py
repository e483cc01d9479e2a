"""Initial weights."""

import numpy as np
import pytest

from rewardware.sw.networks.initialization import initial_layers


def test_uniform_by_fan_in_and_small_last_layer():
    layers = initial_layers((30, 400, 300, 6), np.random.default_rng(0))
    assert [weight.shape for weight, _ in layers] == [(400, 30), (300, 400), (6, 300)]
    for (weight, bias), bound in zip(layers, (30**-0.5, 400**-0.5, 3e-3), strict=True):
        assert bias.shape == weight.shape[:1]
        assert abs(weight).max() <= bound and abs(bias).max() <= bound
        assert weight.std() == pytest.approx(bound / 3**0.5, rel=0.05)


def test_same_seed_same_weights():
    one, other = (initial_layers((3, 5, 1), np.random.default_rng(7)) for _ in range(2))
    assert all(
        np.array_equal(a, b) for left, right in zip(one, other, strict=True) for a, b in zip(left, right, strict=True)
    )
