"""Nested loops: values of all iterations, against loops written out."""

import numpy as np
import pytest

from rewardware.hw.cores.convolution.loop_nest import LoopNest
from rewardware.hw.cores.convolution.loop_nest_config import LoopNestConfig, NestField, jumps
from rewardware.sim.cocotb import simulate

from .nests import nest

LANES = 5
PLACES = LoopNestConfig(
    fields=(
        NestField(name="lane", width=3, radix=LANES),
        NestField(name="row", width=6),
        NestField(name="column", width=7),
    ),
    levels=4,
    count_width=5,
)
ONE = LoopNestConfig(fields=(NestField(name="row", width=9),), levels=1, count_width=6)


def random_nests(config, rng, number):
    for _ in range(number):
        counts = rng.integers(1, 5, config.levels).tolist()
        first = {field.name: int(rng.integers(0, field.radix or 1 << field.width)) for field in config.fields}
        steps = [{f.name: int(rng.integers(-30, 30)) for f in config.fields} for _ in counts]
        yield nest(config, first, counts, steps)


@pytest.mark.parametrize("config", [PLACES, ONE], ids=["places", "one"])
def test_all_iterations_in_order(config):
    rng = np.random.default_rng(7)
    nests = list(random_nests(config, rng, 40))
    most = (1 << config.count_width) - 1
    longest = [1] * (config.levels - 1) + [most]
    zero = {field.name: 0 for field in config.fields}
    nests.append(nest(config, zero, longest, [{"row": 1}] * config.levels))
    simulate(
        LoopNest(config),
        bench="tests.hw.cores.convolution.bench_loop_nest",
        parameters={"commands": [one for one, _ in nests], "expected": [values for _, values in nests]},
        after_noise=True,
    )


def test_jumps_of_table_3_1():
    """A tensor's windows: kernel columns, kernel rows, places of the window."""
    config = LoopNestConfig(fields=(NestField(name="row", width=10),), levels=3)
    height, width, kernel = 6, 7, 3
    outputs = (height - kernel + 1) * 1
    found = jumps(config, [outputs, kernel, kernel], [{"row": width}, {"row": width}, {"row": 1}])
    assert [jump["row"] for jump in found] == [(width - 2 * width - 2) % 1024, width - 2, 1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: NestField(name="2", width=3), "Name must be a Python name, not '2'"),
        (lambda: NestField(name="a", width=0), "Width must be from 1 to 64, not 0"),
        (lambda: NestField(name="a", width=2, radix=5), "Radix must be from 2 to 4, not 5"),
        (lambda: LoopNestConfig(fields=(), levels=1), "Fields must have different names, at least one, not []"),
        (lambda: LoopNestConfig(fields=(NestField(name="a", width=1),), levels=9), "Levels must be from 1 to 8, not 9"),
        (
            lambda: LoopNestConfig(fields=(NestField(name="a", width=2, radix=3),), levels=1),
            "Field a must not have a radix: no field after it takes its carries",
        ),
        (lambda: jumps(ONE, [0], [{}]), "Count must be from 1 to 63, not 0"),
        (lambda: jumps(ONE, [1, 2], [{}]), "Loops must be 1, not 2 counts and 1 steps"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message
