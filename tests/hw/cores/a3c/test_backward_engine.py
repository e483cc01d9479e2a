"""The engine that takes errors back, against the reference."""

import pytest

from rewardware.hw.cores.a3c.backward_engine import BackwardEngine
from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.hw.cores.a3c.cycles import backward_cycles

from .configurations import CONFIGURATIONS
from .with_memories import simulate_with_memories


def _simulate(config, **options):
    cycles = {steps: backward_cycles(config, steps) for steps in range(1, config.steps + 1)}
    simulate_with_memories(BackwardEngine(config), "bench_backward_engine", cycles, **options)


@pytest.mark.parametrize("config", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_backward_engine(config):
    _simulate(config)


def test_backward_engine_of_the_paper():
    # A job alone takes longer than most components may stand still.
    _simulate(A3CConfig(agents=2), tests="takes_as_many_cycles_as_it_says", progress_cycles=20_000)


def test_cycles_of_the_paper():
    config = A3CConfig()
    words = sum(layer.outputs * layer.blocks for layer in config.layers[1:])
    assert backward_cycles(config, 5) == 5 * words
