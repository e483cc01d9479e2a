"""The timeline of a search against a recurrence, and what it must be where simulations all take the same."""

import heapq
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewardware.sw.mapping.planning_timeline import timeline

times = st.fractions(min_value=Fraction(1, 8), max_value=50, max_denominator=8)


@given(simulation=times, busy=times, latency=times, workers=st.integers(1, 9), rounds=st.integers(1, 9))
def test_equal_simulations(simulation, busy, latency, workers, rounds):
    """A round takes as long as the longer of all workers' turns at the tree and one worker's way around."""
    taken = timeline([simulation], workers=workers, busy=busy, latency=latency, actions=workers * rounds)
    around = max(workers * busy, busy + latency + simulation)
    assert taken == rounds * around + workers * busy


@given(
    simulations=st.lists(times, min_size=1, max_size=20),
    busy=times,
    latency=times,
    workers=st.integers(1, 9),
    actions=st.integers(1, 60),
)
def test_nobody_is_served_sooner_than_can_be(simulations, busy, latency, workers, actions):
    taken = timeline(simulations, workers=workers, busy=busy, latency=latency, actions=actions)
    assert taken >= actions * busy
    one = timeline(simulations, workers=1, busy=busy, latency=latency, actions=actions)
    everything = [simulations[index % len(simulations)] for index in range(actions)]
    assert one == sum(everything) + actions * (busy + latency) + busy
    assert workers * taken >= sum(everything) + actions * (busy + latency)


def by_recurrence(simulations, workers, busy, latency, actions):
    """The same without events: who asks first is served next, when the tree is free."""
    asking = [(0, number) for number in range(min(workers, actions))]
    free = 0
    for served in range(len(asking) + actions):
        asked, _ = heapq.heappop(asking)
        free = max(free, asked) + busy
        if served < actions:
            answered = free + latency + simulations[served % len(simulations)]
            heapq.heappush(asking, (answered, workers + served))
    return free


@given(
    # Few lengths, so that workers often ask at the same time.
    simulations=st.lists(st.sampled_from([Fraction(1, 2), 1, 2, 3]), min_size=1, max_size=20),
    busy=st.sampled_from([Fraction(1, 4), 1, 2]),
    latency=st.sampled_from([0, 1]),
    workers=st.integers(1, 9),
    actions=st.integers(1, 60),
)
def test_who_asks_first_is_served_first(simulations, busy, latency, workers, actions):
    taken = timeline(simulations, workers=workers, busy=busy, latency=latency, actions=actions)
    assert taken == by_recurrence(simulations, workers, busy, latency, actions)


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"actions": 0}])
def test_nothing_to_do(wrong):
    with pytest.raises(ValueError, match="must be at least 1, not"):
        timeline([1], **{"workers": 1, "busy": 1, "latency": 1, "actions": 1} | wrong)
    with pytest.raises(ValueError, match="at least one simulation"):
        timeline([], workers=1, busy=1, latency=1, actions=1)
