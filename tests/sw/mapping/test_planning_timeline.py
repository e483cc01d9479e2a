"""The timeline of a search against what it must be where simulations all take the same."""

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


@pytest.mark.parametrize("wrong", [{"workers": 0}, {"actions": 0}])
def test_nothing_to_do(wrong):
    with pytest.raises(ValueError, match="must be at least 1, not"):
        timeline([1], **{"workers": 1, "busy": 1, "latency": 1, "actions": 1} | wrong)
    with pytest.raises(ValueError, match="at least one simulation"):
        timeline([], workers=1, busy=1, latency=1, actions=1)
