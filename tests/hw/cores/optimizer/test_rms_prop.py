"""The lane of RMSprop against its reference."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, BINARY32
from rewardware.hw.cores.optimizer.rms_prop_config import RMSpropConfig
from rewardware.hw.cores.optimizer.rms_prop_lane import RMSpropLane
from rewardware.sw.reference.float.host import to_bits
from rewardware.sw.reference.optimizer.rms_prop import rms_prop

from .float_stimulus import any_rates, evaluate_sets, some_numbers

RATES = {"decay": 0.97, "one_minus_decay": 0.03, "learning_rate": 1e-3, "epsilon": 1e-3}


@pytest.mark.parametrize(
    "config",
    [
        RMSpropConfig(),
        RMSpropConfig(format=BINARY32, adder_depth=5, multiplier_depth=4),
        RMSpropConfig(format=BINARY16.flushing(), adder_depth=3, multiplier_depth=2),
    ],
    ids=["binary16", "binary32", "flushed"],
)
def test_lane(config):
    """With usual rates and with any; some numbers are corners, and some have any bits."""
    number_format, random = config.format, np.random.default_rng(8)
    usual = dict(zip(RATES, to_bits(number_format, np.array(list(RATES.values()))).tolist(), strict=True))
    sets, expected = [], []
    for number in range(21):
        count = 2000 if number else 100_000
        numbers = some_numbers(number_format, random, count, ("weight", "square", "gradient"), squares="square")
        # Nothing moves what has no gradient, but its mean square decays.
        numbers["gradient"][:100] = 0
        rates = any_rates(number_format, random, tuple(RATES)) if number else usual
        expected.append(rms_prop(number_format, *numbers.values(), **rates))
        sets.append((numbers, rates))
    got, settled = evaluate_sets(RMSpropLane(config), sets)
    weight, square = (np.concatenate(parts) for parts in zip(*expected, strict=True))
    np.testing.assert_array_equal(got["new_weight"][settled], weight[settled])
    np.testing.assert_array_equal(got["new_square"][settled], square[settled])
    infinity = number_format.infinity
    nonfinite = (weight & infinity == infinity) | (square & infinity == infinity)
    np.testing.assert_array_equal(got["nonfinite"][settled], nonfinite[settled])
    assert 0 < nonfinite.mean() < 0.5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"adder_depth": 0}, "Adder depth must be from 1 to 7, not 0"),
        ({"format": "binary8"}, "Format must be one of"),
    ],
)
def test_configuration(settings, words):
    with pytest.raises(ValueError, match=words):
        RMSpropConfig(**settings)
