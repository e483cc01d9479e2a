"""The learner's cycle model against loops that go over every word."""

import pytest

from rewardware.hw.cores.layer.config import DQNLearnerConfig, NetworkConfig
from rewardware.sw.mapping.layer_pipeline import macs, stage_cycles, step_cycles, units, update_cycles, utilisation

CARTPOLE = NetworkConfig(sizes=(4, 64, 64, 2), units=(5, 64, 2))


def test_cartpole():
    """By hand: 65 words in each layer, of 5, 64 and 2 weights; 4 stages each, but 3 of the first layer."""
    config = DQNLearnerConfig(network=CARTPOLE, update_interval=2)
    assert stage_cycles(CARTPOLE) == 65
    assert units(config) == 3 * 5 + 4 * 64 + 4 * 2 == 279
    assert update_cycles(config) == 2 * 65
    assert step_cycles(config, 128) == 65 * (128 + 3 * 2) + 130 == 8840
    assert macs(config) == 3 * (5 * 64 + 65 * 64 + 65 * 2) + 64 * 64 + 64 * 2
    assert utilisation(config, 128) == 128 * macs(config) / (279 * 8840)


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
