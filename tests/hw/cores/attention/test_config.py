"""Attention: what follows from its configuration, and what it refuses."""

from dataclasses import replace

import pytest

from rewardware.hw.cores.attention.config import AttentionConfig

CONFIG = AttentionConfig(agents=4, heads=4, key_size=32, value_size=32)


@pytest.mark.parametrize(
    ("agents", "parallel_heads", "cycles"),
    [
        (4, 1, 384),
        (4, 2, 192),
        # All at once would take 96, but the numbers of all heads come one by one.
        (4, 4, 128),
        (8, 1, 896),
        (8, 4, 224),
        (2, 1, 128),
        (2, 4, 128),
    ],
)
def test_cycles_of_an_agent(agents, parallel_heads, cycles):
    config = replace(CONFIG, agents=agents, parallel_heads=parallel_heads)
    assert config.forward_cycles == config.backward_cycles == agents * cycles


def test_cycles_of_small_heads():
    # A sum of five powers takes 22 cycles, two elements of five others 10, and five weights of each of 4 heads 20.
    config = replace(CONFIG, agents=6, key_size=2, value_size=1)
    assert config.forward_cycles == 6 * 4 * 22
    assert replace(config, parallel_heads=2).forward_cycles == 6 * 2 * 22
    assert replace(config, parallel_heads=4).forward_cycles == 6 * 22


def test_a_lane_has_its_share_of_the_heads():
    config = replace(CONFIG, heads=6, parallel_heads=3)
    assert config.lane == replace(CONFIG, heads=2)


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        ({"agents": 1}, ValueError, "Agents must be from 2 to 64, not 1"),
        ({"heads": 0}, ValueError, "Heads must be from 1 to 64, not 0"),
        ({"waiting": 63}, ValueError, "Waiting must be from 2 to 62, not 63"),
        ({"parallel_heads": 0}, ValueError, "Parallel heads must be from 1 to 4, not 0"),
        ({"parallel_heads": 8}, ValueError, "Parallel heads must be from 1 to 4, not 8"),
        ({"parallel_heads": 3}, ValueError, r"Heads must be a multiple of parallel heads \(3\), not 4"),
        ({"parallel_heads": "2"}, TypeError, "Parallel heads must be an integer, not '2'"),
    ],
)
def test_refuses(fields, error, message):
    with pytest.raises(error, match=f"^{message}$"):
        replace(CONFIG, **fields)
