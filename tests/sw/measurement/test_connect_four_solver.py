"""Perfect play of connect-four, against OpenSpiel's plain search and published values."""

from functools import cache

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms.minimax import alpha_beta_search

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.measurement.connect_four_solver import ConnectFourSolver

# Positions on six rows and seven columns, as the columns played, from 1: late, middle and early ones of P. Pons's test
# sets.
PUBLISHED = {
    "2252576253462244111563365343671351441": -1,
    "7422341735647741166133573473242566": 1,
    "23163416124767223154467471272416755633": 0,
    "3575316255751336464276636772271112": -1,
    "326615663752621323655335514271": 1,
    "74425337641465475671176741236615215533": 0,
    "12514726155174536522772517671": -1,
    "24617524315172127": 1,
    "43745416472735": -1,
}


@cache
def solver(rows=6, columns=7):
    return ConnectFourSolver(rows, columns)


def stones(state, columns):
    """The position of a game of OpenSpiel as a BoardGame would save it."""
    laid, heights = [0, 0], [0] * columns
    for move, column in enumerate(state.history()):
        laid[move % 2] |= 1 << heights[column] * columns + column
        heights[column] += 1
    return tuple(laid)


def positions(game, moves, count):
    """Positions of a game of OpenSpiel after so many moves at random that did not end it."""
    random, found = np.random.default_rng(moves), []
    while len(found) < count:
        state = game.new_initial_state()
        while state.move_number() < moves and not state.is_terminal():
            state.apply_action(int(random.choice(state.legal_actions())))
        if not state.is_terminal():
            found.append(state)
    return found


@pytest.mark.parametrize(
    ("rows", "columns", "moves"), [(4, 4, 4), (4, 4, 7), (4, 5, 8), (5, 4, 9), (4, 6, 13), (6, 7, 30), (6, 7, 35)]
)
def test_values_are_those_of_a_plain_search(rows, columns, moves):
    game = pyspiel.load_game("connect_four", {"rows": rows, "columns": columns})
    seen = set()
    for state in positions(game, moves, 8):
        player = state.current_player()
        values = {}
        for action in state.legal_actions():
            after = state.child(action)
            values[action], _ = alpha_beta_search(game, state=after, maximizing_player_id=player)
        position, best = stones(state, columns), max(values.values())
        assert solver(rows, columns).action_values(position) == values, position
        assert solver(rows, columns).value(position) == best
        assert solver(rows, columns).best_actions(position) == {a for a, value in values.items() if value == best}
        seen |= set(values.values())
    assert len(seen) > 1


@pytest.mark.parametrize("moves", PUBLISHED)
def test_published_positions(moves):
    game = BoardGame("connect-four")
    for column in moves:
        assert game.step(int(column) - 1) == (0.0, False)
    assert solver().value(game.save()) == PUBLISHED[moves]


# J. Tromp, John's Connect Four Playground: who wins on small boards, as player 0 has it.
@pytest.mark.parametrize(
    ("rows", "columns", "value"), [(4, 4, 0), (4, 5, 0), (5, 4, 0), (5, 5, 0), (7, 4, 0), (4, 6, -1)]
)
def test_values_of_whole_boards(rows, columns, value):
    assert solver(rows, columns).value((0, 0)) == value


def test_mirrored_positions_are_worth_the_same():
    game = BoardGame("connect-four")
    for column in (3, 3, 3, 3, 3, 3, 0, 1, 1, 2, 5, 2, 5, 5):
        assert game.step(column) == (0.0, False)
    values = solver().action_values(game.save())
    game.reset()
    for column in (3, 3, 3, 3, 3, 3, 6, 5, 5, 4, 1, 4, 1, 1):
        game.step(column)
    assert solver().action_values(game.save()) == {6 - action: value for action, value in values.items()}


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ((1 << 7, 0), r"Stones \(128, 0\) are not a position of connect-four on 6 x 7 cells"),
        ((1, 1), "are not a position"),
        ((0b11, 0), "are not a position"),
        ((0, 1), "are not a position"),
        ((1 << 42, 0), "are not a position"),
        ((0b1111, 0b111 << 7), r"The game has ended in the position \(15, 896\), so no move has a value"),
    ],
)
def test_positions_without_a_value_are_refused(state, words):
    with pytest.raises(ValueError, match=words):
        solver().value(state)


def test_a_full_board_is_refused():
    game, random = BoardGame("connect-four"), np.random.default_rng(0)
    while game.legal_actions():
        action = int(random.integers(7))
        if game.legal_actions() >> action & 1 and game.step(action)[0]:
            game.reset()
    with pytest.raises(ValueError, match="The game has ended"):
        solver().value(game.save())


@pytest.mark.parametrize(("rows", "columns"), [(3, 7), (6, 3), (7, 8), (6, 9)])
def test_boards_that_do_not_fit_are_refused(rows, columns):
    with pytest.raises(ValueError, match=rf"columns \* \(rows \+ 1\) at most 56, not {rows} and {columns}"):
        ConnectFourSolver(rows, columns)
