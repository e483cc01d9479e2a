"""The update of grouping matrices against its reference, and that against the one of the whole system."""

from dataclasses import replace

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY16, BINARY32
from rewardware.hw.cores.optimizer.rms_prop_config import RMSpropConfig
from rewardware.hw.cores.sparse_update.grouping_gradient_config import GroupingGradientConfig
from rewardware.hw.cores.sparse_update.grouping_sums import grouping_word
from rewardware.hw.cores.sparse_update.grouping_update import GroupingUpdate
from rewardware.hw.cores.sparse_update.grouping_update_config import GroupingUpdateConfig
from rewardware.hw.soc.learninggroup.config import Rates
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.float.conversion import from_numbers
from rewardware.sw.reference.learninggroup.arithmetic import ARITHMETICS
from rewardware.sw.reference.learninggroup.rms_prop import rms_prop
from rewardware.sw.reference.sparse_update.grouping_update import update_grouping
from tests.hw.cores.sparse.variants import CONFIGS

VARIANTS = {
    "binary16": GroupingUpdateConfig(
        gradient=GroupingGradientConfig(sparse=replace(CONFIGS["four lanes"], grouping_words=250)),
        rms_prop=RMSpropConfig(adder_depth=2, multiplier_depth=1),
    ),
    "binary32": GroupingUpdateConfig(
        gradient=GroupingGradientConfig(sparse=replace(CONFIGS["two lanes"], weight_width=16)),
        rms_prop=RMSpropConfig(format=BINARY32),
    ),
}


@pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)
def test_update(config):
    unit = GroupingUpdate(config)
    simulate(
        unit,
        bench="tests.hw.cores.sparse_update.bench_grouping_update",
        parameters={
            "config": config,
            "layers": 30,
            "latency": unit.latency,
            "word_layout": grouping_word(config.gradient),
        },
        after_noise=True,
    )


@pytest.mark.parametrize(
    ("number_format", "arithmetic"), [(BINARY16, "binary16"), (BINARY32, "binary32")], ids=["binary16", "binary32"]
)
def test_reference(number_format, arithmetic):
    """A matrix of odd size, laid out in words: selected entries take the step of the whole system, nothing else."""
    random, lanes, groups, base = np.random.default_rng(4), 4, 3, 5
    members = random.permutation(21)
    labels = random.integers(0, groups, members.size)
    matrix, square = random.normal(0, 1, (members.size, groups)), random.gamma(1, 0.1, (members.size, groups))
    gradient = ARITHMETICS["binary16"].numbers(random.normal(0, 1, members.size))
    weights, squares = (np.zeros((40, lanes), np.int64) for _ in "ws")
    member, group = np.mgrid[: members.size, :groups]
    places = base + member // lanes * groups + group, member % lanes
    weights[places], squares[places] = from_numbers(number_format, matrix), from_numbers(number_format, square)
    rates = Rates()
    given = {
        "decay": rates.alpha,
        "one_minus_decay": 1 - rates.alpha,
        "learning_rate": rates.learning_rate,
        "epsilon": rates.epsilon,
    }
    bits = {name: int(from_numbers(number_format, np.array([value]))[0]) for name, value in given.items()}
    got = weights, squares
    for group in range(groups):
        mine = np.flatnonzero(labels == group)
        got = update_grouping(
            number_format, BINARY16, *got, mine, group, from_numbers(BINARY16, gradient[mine].astype(float)),
            base=base, groups=groups, **bits,
        )  # fmt: skip
    numbers = ARITHMETICS[arithmetic].numbers
    expected = numbers(matrix), numbers(square)
    chosen = np.arange(members.size), labels
    new = rms_prop(ARITHMETICS[arithmetic], *(part[chosen] for part in expected), numbers(gradient), rates)
    for memory, part, numbers_after in zip(got, expected, new, strict=True):
        part[chosen] = numbers_after
        wanted = np.zeros_like(memory)
        wanted[places] = from_numbers(number_format, part.astype(float))
        np.testing.assert_array_equal(memory, wanted)


def test_bad_configuration():
    with pytest.raises(TypeError, match="^Gradient must be of the kind GroupingGradientConfig, not 3$"):
        GroupingUpdateConfig(gradient=3)
    with pytest.raises(TypeError, match="^RMSprop must be of the kind RMSpropConfig, not 3$"):
        GroupingUpdateConfig(rms_prop=3)
    with pytest.raises(
        ValueError, match="^RMSprop must have the format of the grouping matrices, binary16, not binary32$"
    ):
        GroupingUpdateConfig(rms_prop=RMSpropConfig(format="binary32"))
    with pytest.raises(ValueError, match="^Conversion depth must be from 0 to 7, not 8$"):
        GroupingUpdateConfig(conversion_depth=8)
