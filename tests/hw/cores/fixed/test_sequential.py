"""Divider and square root against exact integers."""

from math import isqrt

import numpy as np
import pytest

from rewardware.hw.cores.fixed.config import DividerConfig, SquareRootConfig
from rewardware.hw.cores.fixed.divider import SequentialDivider
from rewardware.hw.cores.fixed.square_root import SequentialSquareRoot
from rewardware.sim.cocotb import simulate

BENCH = "tests.hw.cores.fixed.bench_sequential"


def numbers(rng, width, count):
    """Corners and random numbers of every magnitude."""
    random = [int(rng.integers(0, 1 << 62)) * 5 >> int(rng.integers(0, 65)) for _ in range(count)]
    return [0, 1, (1 << width) - 1, 1 << width - 1, *(number & (1 << width) - 1 for number in random)]


@pytest.mark.parametrize("numerator_width, denominator_width", [(64, 33), (11, 5), (7, 12)])
def test_divider(numerator_width, denominator_width):
    rng = np.random.default_rng(5)
    config = DividerConfig(numerator_width=numerator_width, denominator_width=denominator_width)
    numerators = numbers(rng, numerator_width, 40)
    denominators = rng.permutation(np.array(numbers(rng, denominator_width, 40), dtype=object))
    requests, expected = [], []
    for numerator, denominator in zip(numerators, denominators.tolist(), strict=True):
        requests.append({"numerator": numerator, "denominator": denominator})
        if denominator:
            quotient, remainder = divmod(numerator, denominator)
        else:
            quotient, remainder = (1 << numerator_width) - 1, numerator & (1 << denominator_width) - 1
        expected.append({"quotient": quotient, "remainder": remainder})
    divider = SequentialDivider(config)
    parameters = {"requests": requests, "expected": expected, "latency": divider.latency}
    simulate(divider, bench=BENCH, parameters=parameters, after_noise=True)


@pytest.mark.parametrize("width", [66, 10])
def test_square_root(width):
    rng = np.random.default_rng(6)
    roots = numbers(rng, width // 2, 20)
    near = [max(0, root * root + step) for root in roots for step in (-1, 0, 1)]
    requests = [*numbers(rng, width, 20), *near]
    unit = SequentialSquareRoot(SquareRootConfig(width=width))
    expected = [isqrt(request) for request in requests]
    parameters = {"requests": requests, "expected": expected, "latency": unit.latency}
    simulate(unit, bench=BENCH, parameters=parameters, after_noise=True)


def test_bad_widths():
    with pytest.raises(ValueError, match="^Numerator width must be from 2 to 64, not 65$"):
        DividerConfig(numerator_width=65)
    with pytest.raises(TypeError, match="^Denominator width must be an integer, not '8'$"):
        DividerConfig(denominator_width="8")
    with pytest.raises(ValueError, match="^Width must be even, not 7$"):
        SquareRootConfig(width=7)
