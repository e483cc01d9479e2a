"""The learner's cycle model against loops that go over every word."""

import pytest

from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.learner.learner_config import DDPGLearnerConfig, DQNLearnerConfig
from rewardware.hw.cores.learner.sac_learner_config import SACLearnerConfig
from rewardware.sw.mapping.layer_pipeline import (
    SegmentCycles,
    backward_segment,
    equation_cycles,
    fill_cycles,
    forward_segment,
    learner_stage_cycles,
    loss_segment,
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


def test_actor_and_two_critics():
    """By hand: words of layers are 3 * 2, 5 * 2 and 4 * 2, and 5 * 2, 5 * 2 and 4 of each critic."""
    actor = NetworkConfig(sizes=(2, 4, 3, 2), units=(2, 2, 1))
    critic = NetworkConfig(sizes=(3, 4, 3, 1), units=(2, 2, 1))
    config = SACLearnerConfig(actor=actor, critic=critic, update_interval=2)
    assert learner_stage_cycles(config) == 10
    # The actor's last layer goes back in two passes as long as the adder, in place of its three inputs.
    assert fill_cycles(config) == (6 + 10 + 8) + (8 + 10 + 4) + (3 + 8 + 8) + (8 + 8) + 6
    assert update_cycles(config) == 20
    assert units(config) == (3 * 2 + 4 * 2 + 4) + 2 * (5 * 2 + 6 * 2 + 6)
    weights = 3 * 4 + 5 * 3 + 4 * 2, 4 * 4 + 5 * 3 + 4
    assert macs(config) == 3 * weights[0] + 4 * 3 + 3 * 2 + 2 * (4 * weights[1] + (4 * 3 + 3) * 2 + 4)
    # Many actions are drawn one after the other: nine additions of four cycles and one more each.
    wide = NetworkConfig(sizes=(2, 20), units=(20,))
    narrow = NetworkConfig(sizes=(12, 1), units=(1,))
    assert learner_stage_cycles(SACLearnerConfig(actor=wide, critic=narrow)) == 2 + 9 * 5


def test_segments():
    """By hand: words 2 * 1 and 5 * 3; the second layer goes back in three passes of 4, and into its gradient of 5."""
    layers = NetworkConfig(sizes=(1, 4, 3), units=(4, 1)).layers
    assert forward_segment(layers) == SegmentCycles(stage=15, fill=4 + 15)
    assert backward_segment(layers) == SegmentCycles(stage=15, fill=3 * 4 + 4)
    assert backward_segment(layers[1:]) == SegmentCycles(stage=15, fill=15)
    # Nor does the gradient's adder of 4 stages count then, but the output errors come in one a cycle.
    assert backward_segment(layers, to_inputs=True, gradients=False) == SegmentCycles(stage=12, fill=3 * 4 + 4)
    assert loss_segment(3) == SegmentCycles(stage=4, fill=4)
    assert forward_segment(layers).batch(7) == 6 * 15 + 19


def test_equation_4_4():
    assert equation_cycles(65, 128, 3) == 65 * (128 + 6) == 8710


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
