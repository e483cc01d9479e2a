"""Explorations of agents that share engines: without waiting, in turns, counts by hand, M* and eta*."""

import pytest

from rewardware.sw.mapping.a3c.agents import agents_that_fit, optimal_agents
from rewardware.sw.mapping.a3c.timeline import ExplorationTimes, best_engines, best_ratio, explore, sweep_engines

TIMES = ExplorationTimes(environment=(4.0,), interaction=1.0, forward=2.0, backward=10.0)


@pytest.mark.parametrize(
    ("experience", "reward", "limit", "expected"),
    [(8, 6, 16, 8), (6, 8, 16, 8), (8, 6, 4, 4), (8, 6, 7, 7), (6, 6, 16, 6), (5, 9, 7, 7)],
)
def test_agents_by_equation_1(experience, reward, limit, expected):
    assert optimal_agents(experience, reward, limit) == expected


def test_agents_that_a_part_holds():
    assert [agents_that_fit(100, shared, 16) for shared in (20, 4, 3, 99, 120)] == [5, 6, 6, 0, 0]
    with pytest.raises(ValueError, match="An agent must take some of the resource, not 0"):
        agents_that_fit(1, 0, 0)
    with pytest.raises(ValueError, match="N_r must be at least 1, not 0"):
        optimal_agents(1, 0, 1)


def test_nobody_waits_where_everybody_has_an_engine():
    for agents in (1, 3):
        found = explore(TIMES, agents=agents, inference=agents, training=agents, explorations=4 * agents)
        assert TIMES.alone(5) == (4 + 2 + 2) * 5 + 2 + 10
        assert found.seconds == pytest.approx(4 * TIMES.alone(5))
        assert found.waiting_for_inference == found.waiting_for_training == 0
    # The last of explorations that do not come out even is alone.
    assert explore(TIMES, agents=3, inference=3, training=3, explorations=4).seconds == 2 * TIMES.alone(5)


def test_two_agents_take_turns_at_one_engine():
    """By hand: both infer at 5, one waits 2, and again after it; trainings of 10 begin at 9 and 11."""
    found = explore(TIMES, agents=2, inference=1, training=1, explorations=2, steps=1)
    # First: step 4, way 1, inference 5 to 7, way back to 8, value 9 to 11 after the other's 7 to 9, training.
    # Second: inference 7 to 9, way back to 10, value 11 to 13; trainings 11 to 21 and 21 to 31.
    assert found.seconds == 31
    assert found.waiting_for_inference == pytest.approx((2 + 1 + 1) / 31)
    assert found.waiting_for_training == pytest.approx(8 / 31)


def test_agents_go_from_training_engines_to_one_gradient_unit():
    """By hand: all infer at once and are trained at once; one after the other is updated."""
    times = ExplorationTimes(environment=(4.0,), interaction=1.0, forward=2.0, backward=10.0, update=3.0)
    found = explore(times, agents=3, inference=3, training=3, gradients=1, explorations=3)
    trained = TIMES.alone(5)
    assert found.seconds == trained + 3 * 3
    assert found.waiting_for_training == pytest.approx((3 + 6) / found.seconds)
    # One training engine is the bottleneck, and updates are beside it.
    found = explore(times, agents=3, inference=3, training=1, gradients=1, explorations=3)
    assert found.seconds == trained + 2 * 10 + 3
    assert found.waiting_for_training == pytest.approx((10 + 20) / found.seconds)
    alone = explore(times, agents=1, inference=1, training=1, gradients=1, explorations=2)
    assert alone.seconds == 2 * times.alone(5) == 2 * (trained + 3)


def test_environments_take_what_was_measured_in_turn():
    times = ExplorationTimes(environment=(1.0, 3.0), interaction=0.0, forward=0.5, backward=1.0)
    assert explore(times, agents=1, inference=1, training=1, explorations=2, steps=3).seconds == 12 + 8 * 0.5 + 2


def test_fewer_engines_than_agents_are_enough():
    found = sweep_engines(TIMES, agents=8, explorations=80)
    seconds = {engines: exploring.seconds for engines, exploring in found.items()}
    assert list(seconds) == list(range(1, 9)) and seconds[1] > seconds[2] > seconds[3] >= seconds[8]
    assert seconds[8] == 10 * TIMES.alone(5)
    engines = best_engines(seconds)
    assert 1 < engines < 8 and seconds[engines] <= 1.02 * seconds[8] < seconds[engines - 1]


def test_a_ratio_gives_training_what_it_takes_from_inference():
    times = ExplorationTimes(environment=(1.0,), interaction=0.1, forward=0.2, backward=6.0)
    ratio, found = best_ratio(times, (0.5, 1.0, 2.0, 4.0, 64.0), agents=8, engines=3, explorations=80)
    assert found[1.0] == explore(times, agents=8, inference=3, training=3, explorations=80)
    assert ratio in (2.0, 4.0) and found[ratio].seconds < found[1.0].seconds < found[0.5].seconds
    assert found[ratio].waiting_for_training < found[1.0].waiting_for_training
    with pytest.raises(ValueError, match="A ratio must be above 0, not 0"):
        best_ratio(times, (0,), agents=1, engines=1, explorations=1)


@pytest.mark.parametrize("name", ["agents", "inference", "training", "explorations", "steps"])
def test_errors(name):
    counts = {"agents": 1, "inference": 1, "training": 1, "explorations": 1, "steps": 1}
    with pytest.raises(ValueError, match=f"{name} must be at least 1, not 0"):
        explore(TIMES, **{**counts, name: 0})
    with pytest.raises(ValueError, match="There must be at least one step of an environment"):
        ExplorationTimes(environment=(), interaction=0, forward=0, backward=0)
    with pytest.raises(ValueError, match="gradients must be at least 1, not 0"):
        explore(TIMES, **counts, gradients=0)
    updated = ExplorationTimes(environment=(1.0,), interaction=0, forward=0, backward=0, update=1)
    with pytest.raises(ValueError, match="An update needs gradient units"):
        explore(updated, **counts)
    with pytest.raises(ValueError, match="Time backward must be at least 0, not -1"):
        ExplorationTimes(environment=(1,), interaction=0, forward=0, backward=-1)
