"""The unit that forms gradients, against the reference."""

import pytest

from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.hw.cores.a3c.cycles import gradient_cycles
from rewardware.hw.cores.a3c.gradient_unit import GradientUnit

from .configurations import CONFIGURATIONS
from .with_memories import simulate_with_memories


def _simulate(config, **options):
    cycles = {steps: gradient_cycles(config, steps) for steps in range(1, config.steps + 1)}
    simulate_with_memories(GradientUnit(config), "bench_gradient_unit", cycles, **options)


@pytest.mark.parametrize("config", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_gradient_unit(config):
    _simulate(config)


def test_gradient_unit_of_the_paper():
    _simulate(A3CConfig(agents=2), tests="takes_as_many_cycles_as_it_says")


def test_cycles_of_the_paper():
    config = A3CConfig()
    rows = sum(-(-layer.outputs // 2) * layer.blocks + layer.groups for layer in config.layers)
    # A layer's biases come back to the adder, which has four stages, after one word in the last layer.
    assert gradient_cycles(config, 5) == 5 * rows + 4 * 3
