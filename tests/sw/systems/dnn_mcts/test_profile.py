"""A profile, and the models that follow from it."""

import threading

import numpy as np
import pytest

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.search.emulated_evaluator import EmulatedEvaluator
from rewardware.sw.search.position_evaluator import EvaluationError
from rewardware.sw.search.search_config import SearchConfig
from rewardware.sw.systems.dnn_mcts import profile as profiling
from rewardware.sw.systems.dnn_mcts.profile import SearchProfile, profile_search
from rewardware.sw.systems.dnn_mcts.timed_searches import TimedSearches

PROFILE = SearchProfile(
    selection=2.0,
    backup=1.0,
    position=3.0,
    access=0.5,
    shared_handover=15.0,
    local_handover=20.0,
    evaluation={1: 110.0, 2: 120.0, 4: 140.0},
    serial={1: 55.0, 4: 70.0},
    evaluation_cores=0.25,
    cores=2,
)


def test_serial_part_is_the_transfer():
    """50 and 5 a position cannot overlap; what is left of an evaluation can."""
    times = PROFILE.times
    assert (times.transfer_latency, times.transfer_bandwidth) == pytest.approx((50, 1 / 5))
    assert [times.evaluation(batch) for batch in (1, 2, 4)] == pytest.approx([55, 60, 70])
    assert [times.transfer(batch, batch) + times.evaluation(batch) for batch in (1, 2, 4)] == pytest.approx(
        list(PROFILE.evaluation.values())
    )
    assert (times.selection, times.backup, times.access) == (5, 1, 0.5)


def test_models_of_a_profile():
    assert PROFILE.paper_model.shared(4) == pytest.approx(0.5 * 4 + 6 + 140)
    machine = PROFILE.machine_model
    assert (machine.cores, machine.evaluation_cores) == (2, 0.25)
    assert machine.shared(1) == pytest.approx(0.5 + 6 + 15 + 110)
    assert machine.local(1, 1) == pytest.approx(6 + 20 + 110)


def test_one_worker_alone():
    """One batch size tells no slope."""
    alone = SearchProfile(**{**PROFILE.as_data(), "evaluation": {1: 110.0}, "serial": {1: 55.0}})
    assert (alone.times.transfer_latency, alone.times.transfer_bandwidth) == (55, float("inf"))


def test_serial_time_never_falls_with_the_batch():
    noisy = SearchProfile(**{**PROFILE.as_data(), "serial": {1: 55.0, 4: 40.0}})
    assert (noisy.times.transfer_latency, noisy.times.transfer_bandwidth) == (55, float("inf"))


@pytest.mark.parametrize("workers", [1, 3])
def test_profile_of_a_search(workers):
    config = SearchConfig(simulations=12, workers=workers)
    # 200 us of a transfer, and 100 a position.
    with TimedSearches(BoardGame("tic-tac-toe"), EmulatedEvaluator(2e-4, 1e-4), config) as searches:
        found = profile_search(searches, workers, repeats=1)
    assert sorted(found.evaluation) == ([1] if workers == 1 else [1, 2, 3])
    assert all(seconds >= 2e-4 + 1e-4 * batch for batch, seconds in found.evaluation.items())
    assert sorted(found.serial) == sorted({1, workers})
    assert found.selection > 0 and found.backup > 0 and found.evaluation_cores > 0 and found.cores >= 1
    assert min(found.position, found.access, found.shared_handover, found.local_handover) >= 0
    found.machine_model.local(workers, workers)


def test_positions_are_of_games():
    config = SearchConfig(simulations=12, workers=1)
    with TimedSearches(BoardGame("tic-tac-toe"), EmulatedEvaluator(0, 0), config) as searches:
        planes, legal = profiling._positions(searches, 30)
    assert planes.shape == (30, 3, 3, 3) and legal.any(axis=1).all()
    np.testing.assert_array_equal(legal, (planes[:, 0] + planes[:, 1] == 0).reshape(30, 9))


def test_threads_call_at_once():
    """More calls than one are under way, as often as they are asked for."""
    calls, together = [], threading.Barrier(profiling.CALLERS)

    def call():
        calls.append(together.wait())

    assert profiling._together(call) > 0
    # A call of each before the clock starts.
    assert len(calls) == profiling.CALLERS * (profiling.CALLS + 1)


def test_a_call_that_fails_is_no_measurement():
    def call():
        raise EvaluationError("no memory")

    with pytest.raises(EvaluationError, match="no memory"):
        profiling._together(call)
