"""Games in C++ against their environments."""

import ctypes

import numpy as np
import pytest

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.search.host_search import HostSearch
from rewardware.sw.search.native.game import make_native_game
from rewardware.sw.search.native.library import native_library
from rewardware.sw.search.position_evaluator import UniformEvaluator
from rewardware.sw.search.search_config import SearchConfig


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "gomoku-5", "gomoku-8", "gomoku", "gomoku-19"])
def test_random_games(name):
    """Positions, what is seen of them, legal actions, rewards and ends."""
    library, generator, board = native_library(), np.random.default_rng(5), BoardGame(name)
    game = make_native_game(board)
    planes, legal = np.empty(game.shape, np.float32), np.empty(game.actions, np.uint8)
    after, reward, wins = np.empty(game.words, np.uint64), ctypes.c_double(), 0
    for _ in range(20):
        board.reset(0)
        ended = False
        while not ended:
            (state,) = game.pack([board.save()])
            state = np.ascontiguousarray(state)
            library.observe_game(game.handle, state.ctypes.data, planes.ctypes.data, legal.ctypes.data)
            assert np.array_equal(planes, board.observation())
            bits = board.legal_actions()
            assert legal.tolist() == [bits >> action & 1 for action in range(game.actions)]
            action = int(generator.choice(np.flatnonzero(legal)))
            found = library.step_game(game.handle, state.ctypes.data, action, after.ctypes.data, ctypes.byref(reward))
            gained, ended = board.step(action)
            assert (reward.value, bool(found)) == (gained, ended)
            assert np.array_equal(after, game.pack([board.save()])[0])
        wins += gained > 0
    assert wins
    game.close()


class Stranger(BoardGame):
    """A game that C++ does not know."""


def test_positions_of_strangers_are_forgotten():
    game = Stranger("tic-tac-toe")
    with HostSearch(game, UniformEvaluator(), SearchConfig(simulations=20)) as search:
        search.search([game.save()])
        assert not search._game._states
