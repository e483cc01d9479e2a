"""Games of OpenSpiel, beside OpenSpiel itself and beside this project's games of the same rules."""

import sys

import numpy as np
import pyspiel
import pytest

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.core.environments.make_state_environment import board_environment
from rewardware.sw.core.environments.open_spiel_game import OpenSpielGame

from .boards import legal_list, play_mirrored, play_together

NAMES = (
    "go(board_size=5)", "go(board_size=9,komi=5.5)", "othello", "hex(board_size=4)", "breakthrough(rows=6,columns=5)",
    "connect_four", "tic_tac_toe", "chess", "gomoku(size=7)", "nim", "pentago", "misere(game=tic_tac_toe())",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_games_are_those_of_openspiel(name):
    game, random = board_environment(f"openspiel:{name}"), np.random.default_rng(4)
    assert game.actions == game.game.num_distinct_actions()
    channels, rows, columns = game.observation_shape
    assert (channels - 1) * rows * columns == game.game.observation_tensor_size()
    for _ in range(3):
        game.reset(0)
        state, total, ended = game.game.new_initial_state(), np.zeros(2), False
        while not ended:
            player = state.current_player()
            assert (game.player(), legal_list(game)) == (player, state.legal_actions())
            planes = game.observation()
            assert planes.dtype == np.float32 and planes.shape == game.observation_shape
            assert planes[:-1].ravel().tolist() == state.observation_tensor(player)
            assert (planes[-1] == (player == 0)).all()
            action = int(random.choice(state.legal_actions()))
            state.apply_action(action)
            reward, ended = game.step(action)
            total += [reward, -reward] if player == 0 else [-reward, reward]
            assert ended == state.is_terminal()
        assert total.tolist() == state.returns() and game.legal_actions() == 0
        assert game.observation().shape == game.observation_shape and game.player() == 1 - player


@pytest.mark.parametrize(
    ("own", "theirs"),
    [
        ("tic-tac-toe", "tic_tac_toe"),
        ("connect-four", "connect_four"),
        ("gomoku", "gomoku"),
        ("gomoku-6", "gomoku(size=6)"),
        ("gomoku-5", "mnk(m=5,n=5,k=5)"),
    ],
)
def test_games_of_the_same_rules_are_the_same(own, theirs):
    play_together(BoardGame(own), board_environment(f"openspiel:{theirs}"), games=20)


def test_lines_of_more_than_five_win_in_openspiels_gomoku_too():
    game = board_environment("openspiel:gomoku")
    for action in (0, 100, 1, 102, 3, 104, 4, 106, 5, 108):
        assert game.step(action) == (0.0, False)
    assert game.step(2) == (1.0, True)


def test_planes_of_connect_four_are_those_of_the_player_who_is_to_move():
    own, game = BoardGame("connect-four"), board_environment("openspiel:connect_four")
    for action in (3, 3, 2, 6, 6):
        own.step(action), game.step(action)
        # Its planes are the other's stones, the own ones and free cells.
        assert np.array_equal(game.observation()[[1, 0]], own.observation()[:2])
    assert board_environment("openspiel:connect_four(egocentric_obs_tensor=False)").game.get_parameters() == {
        "columns": 7, "egocentric_obs_tensor": False, "rows": 6, "x_in_row": 4,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "symmetries"),
    [("go(board_size=4)", 8), ("othello", 4), ("connect_four", 2), ("tic_tac_toe", 8), ("gomoku(size=6)", 8),
     ("mnk(m=3,n=4,k=3)", 4), ("hex", 1), ("chess", 1), ("gomoku(size=4,dims=3)", 1), ("nim", 1)],
)  # fmt: skip
def test_rules_are_the_same_when_the_board_is_turned_or_mirrored(name, symmetries):
    game = board_environment(f"openspiel:{name}")
    assert len(game.symmetries) == symmetries
    play_mirrored(game, OpenSpielGame(game.name), games=2)


def test_passes_are_actions():
    game = board_environment("openspiel:go(board_size=5)")
    assert (game.step(25), game.step(25)) == ((0.0, False), (1.0, True))
    # Komi has decided: White has won, which passed second.


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("tictac", "OpenSpiel has no game 'tictac': pyspiel.registered_names"),
        ("go(size=5)", r"Game openspiel:go\(size=5\) cannot be made: Unknown parameter 'size'"),
        ("go(board_size=50)", r"Game openspiel:go\(board_size=50\) cannot be made: The current Go"),
        ("kuhn_poker", "Game openspiel:kuhn_poker cannot be searched: it must have no chance and nothing hidden"),
        ("goofspiel", "it must have moves one after the other and no chance"),
        ("hanabi", "it must have zero sum and no chance and nothing hidden"),
        ("mancala", "must take turns, but those of openspiel:mancala do not always"),
        ("checkers", "must take turns, but those of openspiel:checkers do not always"),
    ],
)
def test_other_games_are_refused(name, words):
    with pytest.raises(ValueError, match=words):
        board_environment(f"openspiel:{name}")


def test_a_player_who_moves_twice_later_is_refused_at_the_step(monkeypatch):
    monkeypatch.setattr("rewardware.sw.core.environments.open_spiel_game.TRIED_MOVES", 0)
    game = board_environment("openspiel:mancala")
    with pytest.raises(ValueError, match="must take turns, but those of openspiel:mancala do not always"):
        for action in (3, 10, 5):
            game.step(action)


def test_names_and_moves_are_checked():
    with pytest.raises(ValueError, match="must begin with 'openspiel:', not 'go'"):
        OpenSpielGame("go")
    game = board_environment("openspiel:tic_tac_toe")
    game.step(4)
    with pytest.raises(ValueError, match=r"Action 4 is not legal in openspiel:tic_tac_toe after the moves \[4\]"):
        game.step(4)


def test_it_says_how_openspiel_is_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, pyspiel.__name__, None)
    with pytest.raises(ValueError, match=r"need the package open_spiel: pip install 'rewardware\[openspiel\]'"):
        board_environment("openspiel:go")
