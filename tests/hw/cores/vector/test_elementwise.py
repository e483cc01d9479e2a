"""The elementwise unit and its lanes against their reference."""

import itertools

import numpy as np
import pytest

from rewardware.hw.cores.float.config import FloatFormat
from rewardware.hw.cores.vector.elementwise_config import (
    Combination,
    ElementwiseConfig,
    ElementwiseLaneConfig,
    Function,
)
from rewardware.hw.cores.vector.elementwise_lane import ElementwiseLane
from rewardware.hw.cores.vector.elementwise_unit import ElementwiseUnit
from rewardware.sim.cocotb import simulate
from rewardware.sim.harness.vectors import evaluate
from rewardware.sw.reference.vector.elementwise import compute

# What a lane can do: the two gradients are given apart, as they must not follow each other.
FIRST = (Combination.PASS, Combination.ADD, Combination.SUBTRACT, Combination.MULTIPLY)
SECOND = {
    "sigmoid": (Combination.PASS, Combination.ADD, Combination.MULTIPLY, Combination.SIGMOID_GRADIENT),
    "tanh": (Combination.PASS, Combination.ADD, Combination.MULTIPLY, Combination.TANH_GRADIENT),
}

ROWS = {
    f"{memory}_rows": 40
    for memory in ("state", "result", "aggregate", "choice", "scalar", "error", "activation", "logit")
}
SMALL = FloatFormat(exponent_bits=5, fraction_bits=7, name="small")


def corners(number_format):
    """Zeros, subnormal extremes, next to one, the largest, infinities, NaN, of both signs."""
    positive = [
        0,
        1,
        number_format.smallest_normal - 1,
        number_format.smallest_normal,
        number_format.one - 1,
        number_format.one,
        number_format.one + 1,
        number_format.largest,
        number_format.infinity,
        number_format.quiet_nan,
    ]
    return np.array([*positive, *(number | number_format.sign_bit for number in positive)])


@pytest.mark.parametrize("gradient", SECOND)
@pytest.mark.parametrize(
    "config",
    [ElementwiseLaneConfig(), ElementwiseLaneConfig(format=SMALL, adder_depth=3, multiplier_depth=5)],
    ids=["binary16", "thirteen bits"],
)
def test_lane(config, gradient):
    """Every combination, function and pair of corner values, and random values; operations change every cycle."""
    number_format = config.format
    random = np.random.default_rng(5)
    count = 40_000
    pairs = np.array(list(itertools.product(corners(number_format), repeat=2)))
    a, b, c = (random.integers(0, 1 << number_format.width, count) for _ in range(3))
    # Values of moderate size, so that sums and functions are not all trivial.
    moderate = random.random((3, count)) < 0.7
    exponents = random.integers(number_format.bias - 6, number_format.bias + 4, (3, count))
    field = number_format.infinity
    a, b, c = (
        np.where(keep, number & ~field | exponent << number_format.fraction_bits, number)
        for number, keep, exponent in zip((a, b, c), moderate, exponents, strict=True)
    )
    for first, second in ((a, b), (a, c), (b, c)):
        places = random.choice(count, len(pairs), replace=False)
        first[places], second[places] = pairs[:, 0], pairs[:, 1]
    first = random.choice(FIRST, count)
    second = random.choice(SECOND[gradient], count)
    function = random.choice(list(Function), count)
    got = evaluate(
        ElementwiseLane(config), {"a": a, "b": b, "c": c, "first": first, "second": second, "function": function}
    )
    for case in itertools.product(FIRST, SECOND[gradient], Function):
        at = (first == case[0]) & (second == case[1]) & (function == case[2])
        value, result = compute(number_format, a[at], b[at], c[at], *case)
        np.testing.assert_array_equal(got["value"][at], value, err_msg=f"value of {case}")
        np.testing.assert_array_equal(got["result"][at], result, err_msg=f"result of {case}")


@pytest.mark.parametrize(
    "config",
    [
        ElementwiseConfig(lanes=4, blocks=4, width=2, address_bits=7, **ROWS),
        ElementwiseConfig(lanes=8, blocks=2, width=1, address_bits=6, **ROWS),
        ElementwiseConfig(lanes=2, blocks=4, width=4, address_bits=6, **ROWS),
    ],
    ids=["two blocks a cycle", "a block a cycle", "a word a cycle"],
)
def test_unit(config):
    unit = ElementwiseUnit(config)
    simulate(
        unit,
        bench="tests.hw.cores.vector.bench_elementwise",
        parameters={"config": config, "latency": unit.latency},
        after_noise=True,
    )


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"lanes": 12}, ValueError, "Lanes must be a power of two, not 12"),
        ({"width": 3}, ValueError, "Width must be a power of two, not 3"),
        ({"blocks": 2, "width": 4}, ValueError, r"Width must be at most blocks \(2\), not 4"),
        ({"lane": 4}, TypeError, "Lane must be of the kind ElementwiseLaneConfig, not 4"),
    ],
)
def test_configuration(settings, error, words):
    with pytest.raises(error, match=words):
        ElementwiseConfig(**settings)
