"""The paper's equations, calculated by hand."""

import pytest

from rewardware.sw.mapping.maac.equations import PaperModel, agent_updates_per_second


def test_a_linear_stage_waits_for_the_slower_of_computing_and_loading():
    model = PaperModel(agents=4, frequency=2.0)
    # 4 / 2 agents, 3 inputs, 8 / 4 outputs, half a second each.
    assert model.linear_seconds(3, 8, parallel_agents=2, units=4) == 2 * 3 * 2 / 2
    assert model.load_seconds(3, 8) == 0
    slow = PaperModel(agents=4, frequency=2.0, bandwidth=3.0)
    assert slow.load_seconds(3, 8) == 8
    assert slow.linear_seconds(3, 8, parallel_agents=2, units=4) == 8


def test_attention_fills_and_drains_four_sub_stages():
    model = PaperModel(agents=4, frequency=1.0)
    assert model.attention_seconds(128, 128, parallel_heads=4) == (4 + 4) * 128 * 32
    assert PaperModel(agents=4, frequency=1.0, bandwidth=2.0).attention_seconds(128, 128, parallel_heads=4) == 8 * 8192


def test_an_iteration_is_as_many_slowest_stages_as_stages_and_experiences():
    assert PaperModel(agents=2, frequency=1.0).total_seconds([3.0, 5.0, 1.0], 10) == 5 * 13
    assert agent_updates_per_second(4, 1024, 0.5) == 8192


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"agents": 1}, ValueError, "Agents must be at least 2, not 1"),
        ({"agents": 2.0}, TypeError, "Agents must be an integer, not 2.0"),
        ({"frequency": 0}, ValueError, "Frequency must be above 0, not 0"),
        ({"bandwidth": -1}, ValueError, "Bandwidth must be above 0, not -1"),
    ],
)
def test_errors(values, error, words):
    with pytest.raises(error, match=f"^{words}$"):
        PaperModel(**{"agents": 2, "frequency": 1.0} | values)
