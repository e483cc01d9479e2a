"""Evaluators by name."""

import numpy as np
import pytest

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.search.emulated_evaluator import EmulatedEvaluator
from rewardware.sw.systems.dnn_mcts.evaluators import evaluator_by_name


def test_emulated():
    found = evaluator_by_name("emulated:30,2", BoardGame("tic-tac-toe"))
    assert isinstance(found, EmulatedEvaluator)
    assert (found.latency, found.position) == pytest.approx((3e-5, 2e-6))


def test_network_is_the_seed_s():
    game = BoardGame("tic-tac-toe")
    game.reset(0)
    asked = game.observation()[None], np.ones((1, 9), np.bool_)
    first, again, other = (evaluator_by_name("torch", game, seed=seed).evaluate(*asked)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_refused():
    with pytest.raises(ValueError, match=r"^Evaluator must be torch or, in microseconds, emulated:200,10, not 'gpu'$"):
        evaluator_by_name("gpu", BoardGame("tic-tac-toe"))
