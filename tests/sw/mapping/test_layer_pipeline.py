"""The learner's cycle model against loops that go over every word."""

import pytest

from rewardware.hw.cores.layer.config import DDPGLearnerConfig, DQNLearnerConfig, NetworkConfig
from rewardware.sw.mapping.layer_pipeline import (
    fill_cycles,
    learner_stage_cycles,
    macs,
    stage_cycles,
    step_cycles,
    units,
    update_cycles,
    utilisation,
)

CARTPOLE = NetworkConfig(sizes=(4, 64, 64, 2), units=(5, 64, 2))


def test_cartpole():
    """By hand: 65 words in each layer, of 5, 64 and 2 weights; 4 stages each, but 3 of the first layer."""
    config = DQNLearnerConfig(network=CARTPOLE, update_interval=2)
    assert stage_cycles(CARTPOLE) == 65
    assert units(config) == 3 * 5 + 4 * 64 + 4 * 2 == 279
    assert update_cycles(config) == 2 * 65
    # Forward, back through the last two layers, where a pass goes over the inputs alone, and into the first gradient.
    assert fill_cycles(config) == 3 * 65 + 2 * 64 + 65
    assert step_cycles(config, 128) == 65 * 127 + 388 + 130 == 8773
    assert macs(config) == 3 * (5 * 64 + 65 * 64 + 65 * 2) + 64 * 64 + 64 * 2
    assert utilisation(config, 128) == 128 * macs(config) / (279 * 8773)


def test_actor_and_critic():
    """By hand: words of layers are 3 * 2, 5 * 2 and 4, and 5 * 2, 5 * 2 and 4; the adder has 4 stages."""
    actor = NetworkConfig(sizes=(2, 4, 3, 1), units=(2, 2, 1), output_activation="tanh")
    critic = NetworkConfig(sizes=(3, 4, 3, 1), units=(2, 2, 1))
    config = DDPGLearnerConfig(actor=actor, critic=critic, update_interval=2)
    assert learner_stage_cycles(config) == max(4 * 2, 5 * 2) == 10
    # The critic's first layer goes back in passes as long as the adder, in place of its three inputs.
    assert fill_cycles(config) == (6 + 10 + 4) + (8 + 10 + 4) + (3 + 8 + 8) + (3 + 8) + 6
    assert update_cycles(config) == 20
    assert step_cycles(config, 5) == 4 * 10 + 78 + 20
    assert units(config) == (3 * 2 + 4 * 2 + 4) + (5 * 2 + 6 * 2 + 6)
    weights = 3 * 4 + 5 * 3 + 4, 4 * 4 + 5 * 3 + 4
    # The error at the one action, of those at the critic's inputs.
    assert macs(config) == 3 * weights[0] + 4 * weights[1] + (4 * 3 + 3) * 3 + 4


@pytest.mark.parametrize(
    ("sizes", "counts"),
    [((4, 64, 64, 2), (3, 32, 1)), ((2, 256, 128, 3), (1, 43, 1)), ((7, 9, 5), (4, 2)), ((1, 1), (1,))],
)
def test_operations_word_by_word(sizes, counts):
    config = DQNLearnerConfig(network=NetworkConfig(sizes=sizes, units=counts), update_interval=3)
    needed, longest = 0, 0
    for index, (inputs, outputs, count) in enumerate(zip(sizes[:-1], sizes[1:], counts, strict=True)):
        updates = 0
        for row in range(inputs + 1):
            for begin in range(0, outputs, count):
                needed += min(count, outputs - begin) * (4 if index and row < inputs else 3)
                updates += 3
        longest = max(longest, updates)
    assert macs(config) == needed
    assert update_cycles(config) == longest


def test_never_more_than_everything():
    for counts in ((1, 1, 1), (5, 64, 2), (64, 64, 2), (64, 1, 1)):
        config = DQNLearnerConfig(network=NetworkConfig(sizes=(4, 64, 64, 2), units=counts))
        assert 0 < utilisation(config, 1) < utilisation(config, 128) < utilisation(config, 4096) <= 1
