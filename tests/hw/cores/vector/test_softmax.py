"""The softmax unit against its reference, and the reference against NumPy."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16
from rewardware.hw.cores.vector.softmax_config import SoftmaxConfig
from rewardware.hw.cores.vector.softmax_unit import SoftmaxUnit
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.vector.softmax import choose, softmax


@pytest.mark.parametrize(
    "config",
    [
        SoftmaxConfig(choices=5, lanes=4),
        SoftmaxConfig(choices=7, lanes=12, blocks=2, adder_depth=2, multiplier_depth=4),
        SoftmaxConfig(choices=3, lanes=64, blocks=1, adder_depth=1),
    ],
    ids=["four blocks", "two blocks", "many lanes to draw for"],
)
def test_softmax_unit(config):
    unit = SoftmaxUnit(config)
    latencies = {
        (choices, blocks): unit.latency(choices, blocks)
        for choices in range(2, config.choices + 1)
        for blocks in range(1, config.blocks + 1)
    }
    simulate(
        unit,
        bench="tests.hw.cores.vector.bench_softmax",
        parameters={"config": config, "latencies": latencies},
    )


def test_reference():
    """Probabilities are those of double precision within what eleven bits allow; choices follow them."""
    random = np.random.default_rng(3)
    logits = (random.normal(0, 3, (6, 20_000))).astype(np.float16)
    powers = np.exp(logits.astype(np.float64))
    exact = powers / powers.sum(axis=0)
    bits = softmax(BINARY16, logits.view(np.uint16).astype(np.int64))
    got = bits.astype(np.uint16).view(np.float16).astype(np.float64)
    # A difference of up to 16 is rounded by 2**-8 at most, and so is its power, relatively; then a few half units.
    np.testing.assert_allclose(got, exact, rtol=2**-8 + 8 * 2**-11, atol=2**-24)
    uniform = random.integers(0, 2048, 20_000)
    choice = choose(BINARY16, bits, uniform)
    # The choice's interval holds the number, but for the roundings of the sums.
    sums = np.concatenate([np.zeros((1, 20_000)), np.cumsum(exact, axis=0)])
    lower, upper = (np.take_along_axis(sums, (choice + step)[np.newaxis], 0)[0] for step in (0, 1))
    assert (lower <= uniform / 2048 + 0.01).all()
    assert (uniform / 2048 <= upper + 0.01).all()
    counts = np.bincount(choice, minlength=6)
    np.testing.assert_allclose(counts / 20_000, exact.mean(axis=1), atol=0.012)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"choices": 1}, "Choices must be from 2 to 64, not 1"),
        ({"lanes": 6}, r"Lanes must be a multiple of the numbers drawn in a cycle \(4\), not 6"),
        ({"format": "bfloat16"}, "Precision of the format must be from 11 to 24, not 8"),
    ],
)
def test_configuration(settings, words):
    with pytest.raises(ValueError, match=words):
        SoftmaxConfig(**settings)
