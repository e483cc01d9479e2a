"""Matches: colours, openings, counts, and intervals of a score."""

import pytest

from rewardware.sw.algorithms.alphazero.match import MatchResult, play_match, wilson_interval
from rewardware.sw.algorithms.alphazero.players import PerfectPlayer, RandomPlayer
from rewardware.sw.core.environments.legal_actions import action_list

from .small import game


def stones(state):
    return sum(own.bit_count() for own in state)


class FirstPlayer:
    """Plays the first legal action, and remembers what it was asked."""

    def __init__(self, environment):
        self.environment, self.asked = environment, []

    def choose(self, states):
        self.asked.append(list(states))
        found = []
        for state in states:
            self.environment.restore(state)
            found.append(action_list(self.environment.legal_actions())[0])
        return found

    def close(self):
        pass


def test_colours_alternate_and_pairs_begin_alike():
    environment = game()
    one, other = FirstPlayer(environment), FirstPlayer(environment)
    result = play_match(environment, one, other, 8, 2, 0)
    # Both play alike: what one wins with a colour, it loses with the other.
    assert result.games == 8 and result.wins == result.losses
    openings = [[state for state in player.asked[0] if stones(state) == 2] for player in (one, other)]
    assert openings[0] == openings[1] and len(openings[0]) == 4 and len(set(openings[0])) > 1


def test_points_are_the_players():
    environment = game("connect-four")
    # In the first column, on top of each other: nobody wins there; along the row whoever begins does.
    result = play_match(environment, FirstPlayer(environment), FirstPlayer(environment), 1, 0, 0)
    assert (result.wins, result.draws, result.losses) == (1, 0, 0)
    assert play_match(environment, FirstPlayer(environment), FirstPlayer(environment), 2, 0, 0).losses == 1


def test_the_same_seed_plays_the_same_match():
    environment = game()
    matches = [
        play_match(environment, PerfectPlayer(environment), RandomPlayer(environment, 3), 20, 1, seed)
        for seed in (0, 0, 1, 2, 3)
    ]  # fmt: skip
    assert matches[0] == matches[1] and len(set(matches)) > 1


def test_refusals():
    environment = game()
    player = FirstPlayer(environment)
    with pytest.raises(ValueError, match="A match must have at least one game, not 0"):
        play_match(environment, player, player, 0, 0, 0)
    with pytest.raises(ValueError, match="Games of tic-tac-toe end within an opening of 9 moves"):
        play_match(environment, player, player, 2, 9, 0)


def test_intervals_are_wilsons():
    # Brown, Cai, DasGupta, "Interval estimation for a binomial proportion" (2001): none of 10, and 15 of 50.
    assert wilson_interval(0.0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson_interval(0.3, 50) == pytest.approx((0.1910, 0.4375), abs=1e-4)
    low, high = wilson_interval(0.75, 17)
    assert wilson_interval(0.25, 17) == pytest.approx((1 - high, 1 - low))
    told = MatchResult(wins=3, draws=2, losses=5).summary()
    assert (told["score"], told["wins"], told["draws"], told["losses"]) == (0.4, 3, 2, 5)
    assert told["score_interval"] == list(wilson_interval(0.4, 10))
