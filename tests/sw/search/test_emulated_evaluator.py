"""Results of the emulated evaluator, and the times that it takes."""

import threading

import numpy as np
import pytest

from rewardware.sw.search import emulated_evaluator
from rewardware.sw.search.batch_evaluation import evaluate_checked
from rewardware.sw.search.emulated_evaluator import EmulatedEvaluator


def positions(count, seed=0):
    generator = np.random.default_rng(seed)
    return generator.integers(2, size=(count, 3, 5, 7)).astype(np.float32), np.ones((count, 35), np.bool_)


class Clock:
    """A clock of each thread: it stands but while that thread sleeps."""

    def __init__(self):
        self._local = threading.local()

    def perf_counter(self):
        return getattr(self._local, "now", 100.0)

    def sleep(self, seconds):
        self._local.now = self.perf_counter() + seconds


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(emulated_evaluator, "time", found)
    return found


def test_equal_positions_are_equal_in_any_batch():
    evaluator = EmulatedEvaluator(0, 0)
    planes, legal = positions(40)
    priors, values = evaluate_checked(evaluator, planes, legal)
    for first, last in ((0, 1), (3, 10), (0, 40)):
        again = evaluator.evaluate(planes[first:last], legal[first:last])
        np.testing.assert_array_equal(again[0], priors[first:last])
        np.testing.assert_array_equal(again[1], values[first:last])
    np.testing.assert_array_equal(EmulatedEvaluator(1e-6, 0).evaluate(planes, legal)[1], values)


def test_positions_differ_by_one_stone():
    planes = np.repeat(positions(1)[0], 105, axis=0)
    for place in range(105):
        planes[place].flat[place] = 1 - planes[place].flat[place]
    priors, values = EmulatedEvaluator(0, 0).evaluate(planes, np.ones((105, 35), np.bool_))
    assert len(set(values.tolist())) == 105 == len({tuple(row) for row in priors.tolist()})
    assert values.min() >= -1 and values.max() < 1 and priors.min() >= 1 and priors.max() < 2
    # Spread over their range: eight bins each have about their share of 105.
    assert all(np.histogram(values, 8, (-1, 1))[0] >= 3)


def test_a_call_takes_its_transfer_and_its_positions(clock):
    evaluator = EmulatedEvaluator.of_microseconds("200,10.5")
    assert (evaluator.latency, evaluator.position) == (pytest.approx(200e-6), pytest.approx(10.5e-6))
    evaluator.evaluate(*positions(4))
    assert clock.perf_counter() - 100 == pytest.approx(242e-6)


def test_transfers_pass_in_turn_and_computations_side_by_side(clock):
    """Three threads at once: their transfers end after 1, 2 and 3 times the latency, and each then computes alike."""
    evaluator, ends = EmulatedEvaluator(2.0, 5.0), []

    def call():
        evaluator.evaluate(*positions(2))
        ends.append(clock.perf_counter() - 100)

    for _ in range(3):
        thread = threading.Thread(target=call)
        thread.start()
        thread.join()
    assert ends == [12, 14, 16]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("200", "Times of an emulated evaluator must be two numbers of microseconds, such as 200,10, not '200'"),
        ("1,2,3", "Times of an emulated evaluator must be two numbers of microseconds, such as 200,10, not '1,2,3'"),
        ("a,b", "Times of an emulated evaluator must be two numbers of microseconds, such as 200,10, not 'a,b'"),
        ("200,-1", "Times of an emulated evaluator must be at least 0, not 0.0002 and -1e-06"),
    ],
)
def test_refused(text, words):
    with pytest.raises(ValueError, match=f"^{words}$"):
        EmulatedEvaluator.of_microseconds(text)
