"""Places of vectors, and sums over agents."""

import numpy as np
import pytest

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig
from rewardware.sw.reference.learninggroup.layout import Layout

PAPER = LearningGroupConfig(name="paper", batches=4)
SMALL = LearningGroupConfig(name="small", cluster_vpus=2, blocks=4, batches=3)


@pytest.mark.parametrize(
    ("config", "agents", "episodes", "expected"),
    [
        # (batches, blocks in use, E')
        (PAPER, 3, 32, (1, 4, 32)),
        (PAPER, 8, 32, (2, 4, 16)),
        (PAPER, 8, 16, (1, 4, 16)),
        (PAPER, 1, 32, (1, 1, 32)),
        (PAPER, 2, 32, (1, 2, 32)),
        (PAPER, 8, 1, (1, 1, 1)),
        (PAPER, 8, 4, (1, 1, 4)),
        (PAPER, 3, 33, (2, 4, 32)),
        (PAPER, 8, 33, (3, 4, 16)),
        (SMALL, 3, 5, (1, 4, 8)),
        (SMALL, 5, 7, (2, 4, 4)),
    ],
)
def test_shapes(config, agents, episodes, expected):
    layout = Layout(config, agents, episodes)
    assert (layout.batches, layout.blocks, layout.spread) == expected
    assert layout.word == layout.blocks * config.lanes and layout.present.sum() == agents * episodes


def test_the_papers_places():
    layout = Layout(PAPER, 8, 32)
    numbers = np.arange(32 * 8).reshape(32, 8, 1)
    words = layout.pack(numbers)[0].reshape(2, 4, 32)
    for agent in range(8):
        for episode in range(32):
            batch, within = divmod(episode, 16)
            assert words[batch, agent // 2, agent % 2 * 16 + within] == numbers[episode, agent, 0]


@pytest.mark.parametrize("agents, episodes", [(3, 5), (5, 7), (1, 1), (7, 9), (2, 24)])
def test_packing_and_totals(agents, episodes):
    generator = np.random.default_rng(0)
    values = generator.integers(1, 100, (episodes, agents, 6))
    layout = Layout(SMALL, agents, episodes)
    words = layout.pack(values)
    assert np.array_equal(layout.unpack(words), values)
    assert words.shape == (6, layout.batches, layout.word) and words.sum() == values.sum()
    assert not words[:, ~layout.present].any()
    totals = layout.unpack(layout.totals(words, np.add))
    assert np.array_equal(totals, np.broadcast_to(values.sum(axis=1, keepdims=True), values.shape))


def test_too_many_vectors():
    words = "4 agents x 25 episodes need more than the 3 batches of 32 vectors in configuration small"
    with pytest.raises(ValueError, match=words):
        Layout(SMALL, 4, 25)
    Layout(SMALL, 4, 24)
