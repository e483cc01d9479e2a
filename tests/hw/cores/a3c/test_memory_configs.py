"""Refusals of configurations of memories and sums."""

import pytest

from rewardware.hw.cores.a3c.agent_memories_config import AgentBanksConfig, AgentMemoriesConfig
from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.hw.cores.a3c.word_sums_config import WordSumsConfig


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("agents", 0, "Agents must be from 1 to 64, not 0"),
        ("readers", 65, "Readers must be from 1 to 64, not 65"),
        ("writers", 0, "Writers must be from 1 to 64, not 0"),
    ],
)
def test_banks_out_of_range(field, value, message):
    with pytest.raises(ValueError, match=message):
        AgentBanksConfig(**{"agents": 2, "depth": 4, field: value})


def test_memories_of_all_agents():
    config = AgentMemoriesConfig(a3c=A3CConfig(), parameter_readers=5, error_writers=3)
    assert {name: (banks.depth, banks.readers, banks.writers) for name, banks in config.banks.items()} == {
        "parameters": (4657, 5, 1),
        "activations": (6 * 36, 1, 1),
        "signs": (6 * 36, 1, 1),
        "errors": (5 * 29, 1, 3),
    }
    with pytest.raises(ValueError, match="Readers must be from 1 to 64, not 0"):
        AgentMemoriesConfig(a3c=A3CConfig(), sign_readers=0)
    with pytest.raises(TypeError, match="A3C must be of the kind A3CConfig, not None"):
        AgentMemoriesConfig(a3c=None)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("width", 65, "Width must be from 1 to 64, not 65"),
        ("depth", 0, "Depth must be at least 1, not 0"),
        ("interval", 3, "Interval must be at least 4, not 3"),
    ],
)
def test_sums_out_of_range(field, value, message):
    with pytest.raises(ValueError, match=message):
        WordSumsConfig(**{"width": 2, "depth": 3, "interval": 4, field: value})
