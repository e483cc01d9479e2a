"""Ratings: of two players in closed form, of several at the greatest likelihood."""

import math

import numpy as np
import pytest

from rewardware.sw.algorithms.alphazero.elo import elo_difference, elo_interval, elo_ratings
from rewardware.sw.algorithms.alphazero.match import MatchResult, wilson_interval


def result(wins, draws=0, losses=0):
    return MatchResult(wins=wins, draws=draws, losses=losses)


def test_differences_are_those_of_the_odds():
    assert elo_difference(10 / 11) == pytest.approx(400)
    assert elo_difference(0.5) == 0 and elo_difference(0.0) == -math.inf and elo_difference(1.0) == math.inf
    low, high = elo_interval(result(30, 10, 10))
    assert low == pytest.approx(elo_difference(wilson_interval(0.7, 50)[0])) and low < elo_difference(0.7) < high


def test_two_players_have_the_odds_of_their_games_and_one_draw():
    for wins, draws, losses in ((7, 2, 1), (10, 0, 0), (0, 0, 40)):
        ratings = elo_ratings([("new", "old", result(wins, draws, losses))], "old")
        games = wins + draws + losses + 1
        expected = elo_difference((wins + draws / 2 + 0.5) / games)
        assert ratings == {"new": pytest.approx(expected), "old": 0}


def test_several_players_are_likeliest():
    matches = [
        ("a", "b", result(7, 1, 2)), ("b", "c", result(5, 0, 5)), ("a", "c", result(2, 2, 6)),
        ("b", "a", result(3, 0, 1)), ("d", "c", result(50)),
    ]  # fmt: skip
    ratings = elo_ratings(matches, "c")
    assert ratings["c"] == 0

    def likelihood(changed):
        total = 0.0
        played = [*matches, *((one, other, result(0, 1)) for one, other in ("ab", "bc", "ac", "cd"))]
        for first, second, outcome in played:
            chance = 1 / (1 + 10 ** ((changed[second] - changed[first]) / 400))
            points = outcome.score * outcome.games
            total += points * math.log(chance) + (outcome.games - points) * math.log(1 - chance)
        return total

    best = likelihood(ratings)
    for name in "abd":
        for step in (-0.5, 0.5):
            assert likelihood({**ratings, name: ratings[name] + step}) < best


def test_a_chain_of_players_adds_up():
    chain = [(str(number + 1), str(number), result(60 - number, 0, 40)) for number in range(5)]
    ratings = elo_ratings(chain, "0")
    steps = [elo_difference((60 - number + 0.5) / (101 - number)) for number in range(5)]
    assert [ratings[str(number)] for number in range(6)] == pytest.approx([0, *np.cumsum(steps)])


def test_refusals():
    with pytest.raises(ValueError, match="'z' has not played"):
        elo_ratings([("a", "b", result(1))], "z")
    with pytest.raises(ValueError, match="All players must be connected with 'a' by games"):
        elo_ratings([("a", "b", result(1)), ("c", "d", result(1))], "a")
