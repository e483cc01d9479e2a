"""Who plays matches: nobody beats the perfect one, and a plain search beats chance."""

import numpy as np
import pytest

from rewardware.sw.algorithms.alphazero import players
from rewardware.sw.algorithms.alphazero.match import play_match
from rewardware.sw.algorithms.alphazero.players import PerfectPlayer, RandomPlayer, rollout_player
from rewardware.sw.search.search_config import SearchConfig

from .small import game


def test_the_perfect_player_knows_the_game():
    environment = game()
    perfect = PerfectPlayer(environment)
    environment.reset(0)
    assert perfect.solve(environment.save())[0] == 0
    # Beside a corner: the second stone in the middle, the third one where it makes two rows of two.
    environment.reset(0)
    for action in (0, 1, 4, 8):
        environment.step(action)
    state = environment.save()
    assert perfect.solve(state)[0] == 1 and perfect.choose([state]) == [3]
    # All 4520 positions in which the game has not ended.
    assert len(perfect._known) == 4520


def test_the_perfect_player_refuses_large_games(monkeypatch):
    monkeypatch.setattr(players, "MOST_POSITIONS", 100)
    environment = game("connect-four")
    with pytest.raises(ValueError, match="connect-four has more positions than the 100 played out"):
        PerfectPlayer(environment).choose([environment.save()])


def test_a_plain_search_beats_chance_and_not_the_perfect_player():
    environment, config = game(), SearchConfig(simulations=60, workers=1, exploration=4.0)
    plain, chance = rollout_player(environment, config, 0), RandomPlayer(environment, 1)
    result = play_match(environment, plain, chance, 30, 1, 2)
    assert result.wins > 20 and result.games == 30
    assert play_match(environment, plain, PerfectPlayer(environment), 10, 0, 2).wins == 0
    assert play_match(environment, PerfectPlayer(environment), chance, 30, 0, 2).losses == 0


def test_random_moves_are_all_as_likely():
    environment = game()
    environment.step(4)
    chosen = RandomPlayer(environment, 0).choose([environment.save()] * 4000)
    counts = np.bincount(chosen, minlength=9)
    assert counts[4] == 0 and (abs(counts[[0, 1, 2, 3, 5, 6, 7, 8]] - 500) < 80).all()
