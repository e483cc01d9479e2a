"""Whole searches are timed, and arms take turns."""

import pytest

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.search.emulated_evaluator import EmulatedEvaluator
from rewardware.sw.search.search_config import SearchConfig
from rewardware.sw.systems.dnn_mcts import timed_searches
from rewardware.sw.systems.dnn_mcts.timed_searches import (
    TimedSearches,
    local_tree,
    measure_in_turn,
    median_ratio,
    shared_tree,
)
from tests.sw.systems.fake_clock import fake_time


@pytest.fixture
def searches():
    config = SearchConfig(simulations=30, workers=3)
    with TimedSearches(BoardGame("tic-tac-toe"), EmulatedEvaluator(0, 0), config) as found:
        yield found


@pytest.mark.parametrize("setting", [shared_tree(3), local_tree(3, 2), local_tree(1, 1)], ids=str)
def test_seconds_of_a_simulation(searches, setting, monkeypatch):
    search = searches.search(setting)
    assert (search.scheme, search.batch, search.config.workers) == (setting.scheme, setting.batch, setting.workers)
    assert search.config.simulations == 30
    monkeypatch.setattr(timed_searches, "time", fake_time(6.0))
    before = search.counters()["searches"]
    assert searches.seconds(setting) == pytest.approx(0.2)
    assert search.counters()["searches"] == before + 1


def test_in_tree_seconds_are_the_search_s_own(searches):
    select, backup = searches.in_tree(local_tree(3, 3))
    counted = searches.search(local_tree(3, 3)).counters()
    assert 0 < 30 * select <= counted["select_nanoseconds"] / 1e9
    assert 0 < 30 * backup <= counted["backup_nanoseconds"] / 1e9


def test_nothing_is_remembered(searches):
    search = searches.search(local_tree(3, 3))
    searches.seconds(local_tree(3, 3))
    assert search.counters()["remembered"] == 0


def test_arms_take_turns():
    calls = []
    arms = {name: lambda name=name: calls.append(name) or float(len(calls)) for name in "ab"}
    assert measure_in_turn(arms, 3) == {"a": [1, 3, 5], "b": [2, 4, 6]}
    assert "".join(calls) == "ababab"


def test_ratio_is_of_neighbours():
    """The machine was three times as slow for a while: no ratio shows it."""
    assert median_ratio([2, 6, 2], [1, 3, 1]) == 2
    assert median_ratio([2, 6, 8], [1, 3, 1]) == 2
