"""The engine that infers against the reference."""

import pytest

from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.hw.cores.a3c.cycles import forward_cycles
from rewardware.hw.cores.a3c.forward_engine import ForwardEngine

from .configurations import CONFIGURATIONS
from .with_memories import simulate_with_memories


def _simulate(config, **options):
    simulate_with_memories(ForwardEngine(config), "bench_forward_engine", forward_cycles(config), **options)


@pytest.mark.parametrize("config", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_forward_engine(config):
    _simulate(config)


def test_forward_engine_of_the_paper():
    _simulate(A3CConfig(agents=1, steps=1), tests="takes_as_many_cycles_as_it_says")


def test_cycles_of_the_paper():
    config = A3CConfig()
    assert config.words == 4657
    # The last layer waits for the outputs of the one before.
    assert forward_cycles(config) == 4657 + 12
