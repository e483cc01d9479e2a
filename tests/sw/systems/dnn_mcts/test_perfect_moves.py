"""Positions in which a move may be wrong, and how the share of right ones is counted."""

import dataclasses

import pytest

from rewardware.sw.algorithms.alphazero.alphazero_hyper_parameters import AlphaZeroHyperParameters
from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.core.run_folder import CHECKPOINT
from rewardware.sw.measurement.connect_four_solver import ConnectFourSolver
from rewardware.sw.systems.dnn_mcts.agent import AlphaZero
from rewardware.sw.systems.dnn_mcts.bench import perfect_moves as bench
from rewardware.sw.systems.dnn_mcts.bench.configurations import configuration_of

TINY = {"simulations": 8, "channels": (4, 4, 4), "value_hidden": 4}
CONFIG = dataclasses.replace(configuration_of("small"), match_games=12)


def test_positions_are_critical_and_none_is_twice():
    game, solver = BoardGame("connect-four"), ConnectFourSolver()
    positions = bench.critical_positions(game, solver, 20, 3)
    assert len(set(positions)) == 20
    for state in positions:
        game.restore(state)
        assert bench.LEAST_STONES <= sum(stones.bit_count() for stones in state) <= bench.MOST_STONES
        assert set(solver.best_actions(state)) < {a for a in range(7) if game.legal_actions() >> a & 1}


def test_right_moves_are_counted(tmp_path, monkeypatch):
    """A search that plays what the solver says is always right, one that plays the others never."""
    with AlphaZero("connect-four", AlphaZeroHyperParameters(**TINY)) as agent:
        agent.save(tmp_path / CHECKPOINT)
    solver = ConnectFourSolver()

    def right(self, states):
        return [min(solver.best_actions(state)) for state in states]

    def wrong(self, states):
        game, found = BoardGame("connect-four"), []
        for state in states:
            game.restore(state)
            legal = {action for action in range(7) if game.legal_actions() >> action & 1}
            found.append(min(legal - set(solver.best_actions(state))))
        return found

    for choose, share in ((right, 100.0), (wrong, 0.0)):
        monkeypatch.setattr("rewardware.sw.algorithms.alphazero.players.SearchPlayer.choose", choose)
        row = bench.perfect_moves(CONFIG, tmp_path)
        assert row["value"] == share and f"plain search with as many: {share:.1f} %" in row["how"]


def test_another_game(tmp_path):
    with AlphaZero("tic-tac-toe", AlphaZeroHyperParameters(**TINY)) as agent:
        agent.save(tmp_path / CHECKPOINT)
    with pytest.raises(ValueError, match="known of connect-four, not of tic-tac-toe"):
        bench.perfect_moves(CONFIG, tmp_path)
