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
    """With usual rates and with any; some numbers are corners, and some have any bits."""
    number_format, random = config.format, np.random.default_rng(8)
    lane = FLOAT_LANES[optimizer](config)
    adam = optimizer == "adam"
    names = ("weight", "first", "second") if adam else ("weight",)
    sets = [(RATES.rounded(number_format), 40_000), *((any_rates(number_format, random), 2000) for _ in range(20))]
    columns, expected, settled = [], [], []
    for rates, count in sets:
        numbers = some_numbers(number_format, random, count)
        if adam:
            expected.append(float_adam(number_format, *numbers.values(), rates))
            chosen = vars(rates)
        else:
            numbers = {name: numbers[name] for name in ("weight", "gradient")}
            expected.append((sgd(number_format, *numbers.values(), rates.learning_rate),))
            chosen = {"learning_rate": rates.learning_rate}
        columns.append(numbers | {name: np.full(count, int(bits)) for name, bits in chosen.items()})
        # Behind them the rates are others already.
        settled.append(np.arange(count) < count - lane.latency)
    settled = np.concatenate(settled)
    got = evaluate(lane, {name: np.concatenate([column[name] for column in columns]) for name in columns[0]})
    nonfinite = np.zeros(len(settled), bool)
    for name, parts in zip(names, zip(*expected, strict=True), strict=True):
        bits = np.concatenate(parts)
        np.testing.assert_array_equal(got[f"new_{name}"][settled], bits[settled])
        nonfinite |= bits & number_format.infinity == number_format.infinity
    np.testing.assert_array_equal(got["nonfinite"][settled], nonfinite[settled])
    assert 0 < nonfinite.mean() < 0.5


def any_rates(number_format, random):
    """Of all magnitudes, corners among them."""
    names = list(vars(RATES))
    ordinary = to_bits(number_format, random.uniform(0, 1, len(names)) * 2.0 ** random.integers(-20, 1, len(names)))
    corners = random.choice(extremes(number_format), len(names))
    return AdamRates(**dict(zip(names, np.where(random.random(len(names)) < 0.2, corners, ordinary), strict=True)))


def some_numbers(number_format, random, count):
    """In the order in which Adam's reference takes them."""
    numbers = {
        name: to_bits(number_format, random.normal(0, 1, count) * 2.0 ** random.integers(-12, 2, count))
        for name in ("weight", "first", "second", "gradient")
    }
    numbers["second"] = to_bits(number_format, random.gamma(1, 1, count) * 2.0 ** random.integers(-14, 2, count))
    for bits in numbers.values():
        choice = random.random(count)
        corners, any_bits = choice < 0.05, (choice >= 0.05) & (choice < 0.12)
        bits[corners] = random.choice(extremes(number_format), corners.sum())
        bits[any_bits] = random.integers(0, 1 << number_format.width, any_bits.sum())
    return numbers
