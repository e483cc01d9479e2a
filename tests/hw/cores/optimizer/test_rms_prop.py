"""The lane of RMSprop against its reference."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, BINARY32
from rewardware.hw.cores.optimizer.rms_prop_config import RMSpropConfig
from rewardware.hw.cores.optimizer.rms_prop_lane import RMSpropLane
from rewardware.sim.harness.vectors import evaluate
from rewardware.sw.reference.optimizer.rms_prop import rms_prop

RATES = {"decay": 0.97, "one_minus_decay": 0.03, "learning_rate": 1e-3, "epsilon": 1e-3}


def bits_of(number_format, values):
    kind, word = (np.float16, np.uint16) if number_format == BINARY16 else (np.float32, np.uint32)
    return np.asarray(values).astype(kind).view(word).astype(np.int64)


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
    number_format = config.format
    kind = BINARY32 if number_format == BINARY32 else BINARY16
    random = np.random.default_rng(8)
    count = 150_000
    weight, gradient = (bits_of(kind, random.normal(0, 1, count) * 2.0 ** random.integers(-12, 2, count)) for _ in "wg")
    square = bits_of(kind, random.gamma(1, 1, count) * 2.0 ** random.integers(-14, 2, count))
    corners = np.array(
        [0, 1, kind.smallest_normal - 1, kind.smallest_normal, kind.one, kind.largest, kind.infinity, kind.quiet_nan]
    )
    corners = np.concatenate([corners, corners | kind.sign_bit])
    for numbers in (weight, square, gradient):
        places = random.random(count) < 0.1
        numbers[places] = random.choice(corners, places.sum())
    # Nothing moves what has no gradient, but its mean square decays.
    gradient[:100] = 0
    rates = {name: int(bits_of(kind, value)) for name, value in RATES.items()}
    got = evaluate(RMSpropLane(config), {"weight": weight, "square": square, "gradient": gradient, **rates})
    expected_weight, expected_square = rms_prop(number_format, weight, square, gradient, **rates)
    np.testing.assert_array_equal(got["new_weight"], expected_weight)
    np.testing.assert_array_equal(got["new_square"], expected_square)
    infinity = kind.infinity
    nonfinite = (expected_weight & infinity == infinity) | (expected_square & infinity == infinity)
    np.testing.assert_array_equal(got["nonfinite"], nonfinite)
    assert 0 < nonfinite.mean() < 0.5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"adder_depth": 0}, "Adder depth must be from 1 to 6, not 0"),
        ({"format": "binary8"}, "Format must be one of"),
    ],
)
def test_configuration(settings, words):
    with pytest.raises(ValueError, match=words):
        RMSpropConfig(**settings)
