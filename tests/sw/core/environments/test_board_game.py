"""Games in which stones in a row win."""

import numpy as np
import pytest

from rewardware.sw.core.environments.board_environment import BoardEnvironment
from rewardware.sw.core.environments.board_game import BOARD_GAMES, BoardGame
from rewardware.sw.core.environments.make_state_environment import state_environment

from .boards import legal_list, play_mirrored


def position(game, *actions):
    game.reset()
    return [game.step(action) for action in actions]


def test_lines_of_tic_tac_toe_win():
    game = state_environment("tic-tac-toe")
    for line in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
        others = [cell for cell in range(9) if cell not in line][:2]
        steps = position(game, line[0], others[0], line[1], others[1], line[2])
        assert steps == [(0.0, False)] * 4 + [(1.0, True)]
        assert game.player() == 1
    # Nobody wins, all cells are taken.
    assert position(game, 0, 1, 2, 4, 3, 5, 7, 6, 8) == [(0.0, False)] * 8 + [(0.0, True)]
    with pytest.raises(ValueError, match="Action 4 is not legal in tic-tac-toe"):
        position(game, 4, 4)


def test_stones_of_connect_four_fall():
    game = state_environment("connect-four")
    assert position(game, 3, 3, 3, 3, 3, 3)[-1] == (0.0, False)
    assert game.legal_actions() == 0b1110111
    # Upwards, along, and both diagonals.
    assert position(game, 0, 1, 0, 1, 0, 1, 0)[-1] == (1.0, True)
    assert position(game, 3, 3, 4, 4, 5, 5, 6)[-1] == (1.0, True)
    assert position(game, 0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3)[-1] == (1.0, True)
    assert position(game, 6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3)[-1] == (1.0, True)
    # No line goes around the edge.
    assert position(game, 4, 0, 5, 1, 6, 2, 6, 5, 6)[-1] == (0.0, False)


def test_five_stones_or_more_win_gomoku():
    game = state_environment("gomoku")
    assert (game.actions, game.rows, game.columns) == (225, 15, 15)
    corner = 14 * 15 + 14
    for first, step in ((0, 1), (0, 15), (0, 16), (14, 14), (corner, -1), (corner, -15), (corner, -16), (210, -14)):
        line = [first + step * stone for stone in range(5)]
        moves = [move for stone in range(5) for move in (line[stone], 106 + 2 * stone)]
        steps = position(game, *moves[:-1])
        assert steps == [(0.0, False)] * 8 + [(1.0, True)]
    # The third fills the gap in six.
    assert position(game, 0, 100, 1, 102, 3, 104, 4, 106, 5, 108, 2)[-1] == (1.0, True)
    # Four of the next row and the last of this are no line.
    assert position(game, 14, 100, 15, 102, 16, 104, 17, 106, 18)[-1] == (0.0, False)


def test_a_full_board_without_a_line_is_a_draw():
    game = state_environment("gomoku-5")
    rows = ("XXOOX", "OOXXO", "XXOOX", "OOXXO", "XXOOX")
    cells = "".join(rows)
    moves = [[cell for cell, stone in enumerate(cells) if stone == player] for player in "XO"]
    assert len(moves[0]) == 13 and len(moves[1]) == 12
    order = [move for pair in zip(moves[0], moves[1], strict=False) for move in pair] + moves[0][12:]
    assert position(game, *order) == [(0.0, False)] * 24 + [(0.0, True)]
    assert game.legal_actions() == 0


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "gomoku-5", "gomoku"])
def test_planes_show_own_stones_the_others_and_whose_turn_it_is(name):
    game, random = state_environment(name), np.random.default_rng(3)
    assert isinstance(game, BoardEnvironment) and game.observation_shape == (3, game.rows, game.columns)
    stones = np.zeros((2, game.rows, game.columns), np.float32)
    ended, moved = False, 0
    while not ended:
        player = moved % 2
        planes = game.observation()
        assert planes.dtype == np.float32
        assert np.array_equal(planes[:2], stones[[player, 1 - player]]) and (planes[2] == 1 - player).all()
        action = int(random.choice(legal_list(game)))
        row, column = divmod(action, game.columns)
        if game.gravity:
            row = int(stones[:, :, column].sum())
        stones[player, row, column] = 1
        ended, moved = game.step(action)[1], moved + 1


@pytest.mark.parametrize(
    ("name", "symmetries"), [("tic-tac-toe", 8), ("connect-four", 2), ("gomoku-6", 8), ("gomoku", 8)]
)
def test_rules_are_the_same_when_the_board_is_turned_or_mirrored(name, symmetries):
    assert len(BoardGame(name).symmetries) == symmetries
    play_mirrored(BoardGame(name), BoardGame(name))


def test_games_are_named():
    assert list(BOARD_GAMES) == ["tic-tac-toe", "connect-four", "gomoku", *(f"gomoku-{size}" for size in range(5, 20))]
    assert all(BoardGame(name).name == name for name in BOARD_GAMES)
    words = "Board game must be tic-tac-toe, connect-four, gomoku or gomoku-N with N from 5 to 19, not 'gomoku-20'"
    with pytest.raises(ValueError, match=words):
        BoardGame("gomoku-20")
