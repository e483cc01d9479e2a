"""Evaluators by name."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.search.emulated_evaluator import EmulatedEvaluator
from rewardware.sw.search.position_evaluator import UniformEvaluator
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


def slow(network, environment):
    """An evaluator of this module, which must not be asked by two threads at once."""

    class Slow(UniformEvaluator):
        asked, closed = 0, False

        def evaluate(self, planes, legal):
            assert not Slow.asked
            Slow.asked = 1
            time.sleep(0.01)
            Slow.asked = 0
            return super().evaluate(planes, legal)

        def close(self):
            made.closed = True

    made = Slow()
    slow.made = made
    return made


def test_others_are_asked_one_at_a_time():
    found = evaluator_by_name(f"{__name__}:slow", BoardGame("tic-tac-toe"))
    asked = np.zeros((1, 3, 3, 3), np.float32), np.ones((1, 9), np.bool_)
    with ThreadPoolExecutor(4) as pool:
        for future in [pool.submit(found.evaluate, *asked) for _ in range(8)]:
            future.result()
    found.close()
    assert slow.made.closed


def test_refused():
    with pytest.raises(ValueError, match="^Evaluator must be torch, torch:cuda, engine, .*, not 'gpu'$"):
        evaluator_by_name("gpu", BoardGame("tic-tac-toe"))
    with pytest.raises(ValueError, match="^Times of an emulated evaluator must be two numbers of microseconds"):
        evaluator_by_name("emulated:1", BoardGame("tic-tac-toe"))
