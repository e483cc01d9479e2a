"""The lanes of Adam and of gradient descent in floating point against their references."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY32, FloatLaneConfig
from rewardware.hw.cores.optimizer.float_lane import FLOAT_LANES
from rewardware.sw.reference.optimizer.float_adam import AdamRates, float_adam
from rewardware.sw.reference.optimizer.sgd import sgd

from .float_stimulus import any_rates, evaluate_sets, some_numbers

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
    """With usual rates and with any; some numbers are corners, and some have any bits."""
    number_format, random = config.format, np.random.default_rng(8)
    adam = optimizer == "adam"
    names = ("weight", "first", "second") if adam else ("weight",)
    usual = {name: int(bits) for name, bits in vars(RATES.rounded(number_format)).items()}
    sets, expected = [], []
    for number in range(21):
        # In the order in which Adam's reference takes them.
        order = ("weight", "first", "second", "gradient")
        numbers = some_numbers(number_format, random, 2000 if number else 40_000, order, squares="second")
        rates = any_rates(number_format, random, tuple(usual)) if number else usual
        if adam:
            expected.append(float_adam(number_format, *numbers.values(), AdamRates(**rates)))
        else:
            numbers = {name: numbers[name] for name in ("weight", "gradient")}
            rates = {"learning_rate": rates["learning_rate"]}
            expected.append((sgd(number_format, *numbers.values(), rates["learning_rate"]),))
        sets.append((numbers, rates))
    got, settled = evaluate_sets(FLOAT_LANES[optimizer](config), sets)
    nonfinite = np.zeros(len(settled), bool)
    for name, parts in zip(names, zip(*expected, strict=True), strict=True):
        bits = np.concatenate(parts)
        np.testing.assert_array_equal(got[f"new_{name}"][settled], bits[settled])
        nonfinite |= bits & number_format.infinity == number_format.infinity
    np.testing.assert_array_equal(got["nonfinite"][settled], nonfinite[settled])
    assert 0 < nonfinite.mean() < 0.5
