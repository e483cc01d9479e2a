"""The lanes of Adam and of gradient descent in floating point against their references."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY32, FloatLaneConfig
from rewardware.hw.cores.optimizer.float_lane import FLOAT_LANES
from rewardware.sim.harness.vectors import evaluate
from rewardware.sw.reference.float.host import to_bits
from rewardware.sw.reference.optimizer.float_adam import AdamRates, float_adam
from rewardware.sw.reference.optimizer.sgd import sgd
from tests.hw.cores.float.operands import extremes

RATES = AdamRates(beta1=0.9, one_minus_beta1=0.1, beta2=0.99, one_minus_beta2=0.01, learning_rate=1e-3, epsilon=1e-6)


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize(
    "config",
    [
        FloatLaneConfig(format=BINARY32, adder_depth=4, multiplier_depth=5),
        FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=1, multiplier_depth=2),
    ],
    ids=lambda config: str(config.format),
)
def test_equals_reference(optimizer, config):
    number_format, random, count = config.format, np.random.default_rng(8), 60_000
    weight, first, gradient = (
        to_bits(number_format, random.normal(0, 1, count) * 2.0 ** random.integers(-12, 2, count)) for _ in range(3)
    )
    second = to_bits(number_format, random.gamma(1, 1, count) * 2.0 ** random.integers(-14, 2, count))
    corners = extremes(number_format)
    for numbers in (weight, first, second, gradient):
        places = random.random(count) < 0.05
        numbers[places] = random.choice(corners, places.sum())
    rates = RATES.rounded(number_format)
    if optimizer == "adam":
        given = {"weight": weight, "first": first, "second": second}
        expected = float_adam(number_format, weight, first, second, gradient, rates)
        chosen = {name: int(bits) for name, bits in vars(rates).items()}
    else:
        given, chosen = {"weight": weight}, {"learning_rate": int(rates.learning_rate)}
        expected = (sgd(number_format, weight, gradient, rates.learning_rate),)
    got = evaluate(FLOAT_LANES[optimizer](config), {**given, "gradient": gradient, **chosen})
    nonfinite = np.zeros(count, bool)
    for name, bits in zip(given, expected, strict=True):
        np.testing.assert_array_equal(got[f"new_{name}"], bits)
        nonfinite |= bits & number_format.infinity == number_format.infinity
    np.testing.assert_array_equal(got["nonfinite"], nonfinite)
    assert 0 < nonfinite.mean() < 0.5
