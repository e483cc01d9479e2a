"""Remembered positions are not evaluated again, and evaluated ones are kept."""

import numpy as np

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.search.remembering_evaluator import RememberingEvaluator
from rewardware.sw.search.search_roots import observed

from .evaluators import HashEvaluator, some_states


def test_each_position_is_asked_for_once():
    game, own = BoardGame("tic-tac-toe"), HashEvaluator()
    planes, legal = observed(game, some_states(game, 4, 0))
    evaluator = RememberingEvaluator(own)
    expected = own.evaluate(planes, legal)
    own.batches.clear()
    for order in ([0, 1, 0], [1, 2], [2, 1, 0], [3, 3]):
        for found, right in zip(evaluator.evaluate(planes[order], legal[order]), expected, strict=True):
            assert found.dtype == np.float32
            np.testing.assert_array_equal(found, right[order])
    assert own.batches == [2, 1, 1]
    batches = evaluator.taken()
    assert [len(batch.planes) for batch in batches] == [3, 2, 3, 2] and evaluator.taken() == []
    np.testing.assert_array_equal(batches[1].planes, planes[[1, 2]])
    np.testing.assert_array_equal(batches[1].legal, legal[[1, 2]])
    evaluator.forget()
    evaluator.evaluate(planes[:2], legal[:2])
    assert own.batches == [2, 1, 1, 2]


def test_the_same_planes_with_other_actions_are_another_position():
    own = HashEvaluator()
    evaluator = RememberingEvaluator(own)
    evaluator.evaluate(np.zeros((2, 3, 3, 3), np.float32), np.eye(9, dtype=np.bool_)[:2])
    assert own.batches == [2]


def test_what_is_given_may_be_overwritten():
    evaluator = RememberingEvaluator(HashEvaluator())
    planes, legal = np.zeros((1, 3, 3, 3), np.float32), np.ones((1, 9), np.bool_)
    priors, _ = evaluator.evaluate(planes, legal)
    kept = priors.copy()
    priors[:] = 7
    planes[:] = 1
    (batch,) = evaluator.taken()
    assert not batch.planes.any()
    np.testing.assert_array_equal(evaluator.evaluate(np.zeros_like(planes), legal)[0], kept)
