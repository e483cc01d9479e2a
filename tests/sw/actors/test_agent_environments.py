"""Environments of agents, in this process, in processes and on Ray: arrivals, going on, deaths, failures."""

import functools
import os
import signal
import time

import numpy as np
import pytest

from rewardware.sw.actors.actor import ActorError
from rewardware.sw.actors.environment_processes import EnvironmentProcesses
from rewardware.sw.actors.in_process_environments import InProcessEnvironments
from rewardware.sw.core.environments.byte_environment import ByteEnvironment
from rewardware.sw.core.environments.environment import DiscreteEnvironment
from rewardware.sw.core.environments.failure import EnvironmentFailure
from tests.sw.actors.failing import FailsInReset, FailsInStep
from tests.sw.algorithms.counting import Counting, Poisoned, Slow, Suicidal

KINDS = {
    "processes": EnvironmentProcesses,
    "ray": functools.partial(EnvironmentProcesses, on="ray"),
    "in-process": InProcessEnvironments,
}

# How a killed process is said to have ended.
KILLED = {"processes": "last exit code -9", "ray": "ActorDiedError: The actor died unexpectedly"}


@pytest.fixture(params=["processes", "ray"])
def processes(request):
    """Where processes are; a cluster is there if it is needed."""
    if request.param == "ray":
        request.getfixturevalue("cluster")
    return request.param


# A core of the cluster's each.
def opened(kind, environment=Counting, agents=2, seed=5, **settings):
    return KINDS[kind](environment, DiscreteEnvironment, agents, seed, **settings)


def go(environments, agents, steps, started=False):
    """Arrivals of each agent, so many each; each takes action 1, and begins an episode after the end of one."""
    found = {agent: [] for agent in range(agents)}
    if not started:
        for agent in found:
            environments.begin(agent)
    while any(len(arrivals) < steps for arrivals in found.values()):
        for arrival in environments.arrivals():
            found[arrival.agent].append(arrival)
            if len(found[arrival.agent]) < steps:
                ask_on(environments, arrival)
    return found


def ask_on(environments, arrival):
    if arrival.ends:
        environments.begin(arrival.agent)
    else:
        environments.step(arrival.agent, 1)


def numbers(arrivals):
    """The fields of arrivals that can be compared."""
    return [
        (a.agent, a.observation.tolist(), a.reward, a.terminated, a.episode_return, a.episode_length, a.lost)
        for a in arrivals
    ]


def assert_whole_episodes(arrivals):
    taken, episode, ended = 0, None, True
    for arrival in arrivals:
        number, step = arrival.observation.tolist()
        if arrival.reward is None:
            assert (ended or arrival.lost) and step == 0 and number != episode
            taken, episode, ended = 0, number, False
            continue
        taken, ended = taken + 1, arrival.ends
        assert (number, step, arrival.reward) == (episode, taken, taken)
        assert (arrival.episode_return, arrival.episode_length) == (taken * (taken + 1) / 2, taken)


def test_each_agent_sees_the_same_wherever_its_environment_is(processes):
    with opened(processes) as environments:
        found = go(environments, 2, 40)
    here = go(opened("in-process"), 2, 40)
    for agent in range(2):
        assert_whole_episodes(found[agent])
        assert numbers(found[agent]) == numbers(here[agent])
        assert all(arrival.observation.flags.writeable for arrival in found[agent])
    assert len({arrivals[0].observation[0] for arrivals in here.values()}) == 2
    assert numbers(go(opened("in-process", seed=6), 2, 4)[0]) != numbers(here[0][:4])


@pytest.mark.parametrize(
    ("saved", "loaded", "agents"),
    [
        ("processes", "processes", 3),
        ("processes", "in-process", 3),
        ("in-process", "processes", 3),
        ("in-process", "in-process", 3),
        ("ray", "in-process", 2),
        ("in-process", "ray", 2),
    ],
)
def test_state_goes_on_with_the_same_arrivals(saved, loaded, agents, request):
    if "ray" in (saved, loaded):
        request.getfixturevalue("cluster")
    one, other = opened(saved, agents=agents), opened(loaded, agents=agents)
    try:
        go(one, agents, 9)
        # Agent 0 has an arrival that nobody fetched, agent 1 one under way, agent 2 nothing.
        one.step(0, 2)
        one.step(1, 0)
        arrays, rest = one.state()
        other.restore(arrays, rest)
        told = []
        for environments in (one, other):
            arrivals = []
            while len(arrivals) < 2:
                arrivals += environments.arrivals()
            for arrival in arrivals:
                ask_on(environments, arrival)
            for agent in range(2, agents):
                environments.step(agent, 1)
            more = go(environments, agents, 20, started=True)
            told.append([numbers(sorted(arrivals, key=lambda a: a.agent)), *map(numbers, more.values())])
        assert told[0] == told[1]
        with pytest.raises(ValueError, match=f"There must be environments of 1 agents, not of {agents}"):
            opened("in-process", agents=1).restore(arrays, rest)
    finally:
        one.close()
        other.close()


def test_whoever_comes_first_is_served_first(processes):
    with opened(processes) as environments:
        environments.begin(0)
        environments.begin(1)
        fetched = []
        while len(fetched) < 2:
            fetched += environments.arrivals()
        process = environments.process_ids[0]
        os.kill(process, signal.SIGSTOP)
        environments.step(0, 1)
        environments.step(1, 1)
        assert [arrival.agent for arrival in environments.arrivals()] == [1]
        assert environments.arrivals(wait=False) == []
        os.kill(process, signal.SIGCONT)
        assert [arrival.agent for arrival in environments.arrivals()] == [0]


def test_a_killed_environment_begins_anew_and_says_so(processes, caplog):
    with opened(processes) as environments:
        before = go(environments, 2, 6)
        os.kill(environments.process_ids[1], signal.SIGKILL)
        for agent in range(2):
            ask_on(environments, before[agent][-1])
        after = go(environments, 2, 30, started=True)
        assert environments.restarts == 1
        assert f"The environment of agent 1 is started again: {KILLED[processes]}" in caplog.text
        assert_whole_episodes([*before[0], *after[0]])
        assert [a.lost for a in after[1]] == [1, *[0] * 29] and after[1][0].reward is None
        assert_whole_episodes([*before[1], *after[1]])
    # The same in this process.
    here = opened("in-process")
    assert numbers(go(here, 2, 6)[1]) == numbers(before[1])
    here.lose(1)
    ask_on(here, before[0][-1])
    assert [numbers(more) for more in go(here, 2, 30, started=True).values()] == [numbers(a) for a in after.values()]


def test_a_process_that_ends_while_nothing_is_asked_of_it_is_not_in_the_way_of_a_checkpoint(processes):
    with opened(processes, agents=1) as environments:
        go(environments, 1, 4)
        os.kill(environments.process_ids[0], signal.SIGKILL)
        time.sleep(0.1)
        arrays, rest = environments.state()
        (arrival,) = environments.arrivals()
        assert arrival.lost == 1 and arrival.agent == 0 and rest["restarts"] == 1 and len(rest["held"]) == 1


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (FailsInStep, "ZeroDivisionError"),
        (FailsInReset, "ZeroDivisionError"),
        (Poisoned, "Reward 4 of an episode is nan; rewards must be finite"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_is_told_and_leaves_the_state_before_it(kind, environment, words, request):
    if kind == "ray":
        request.getfixturevalue("cluster")
    environments = opened(kind, environment, agents=1)
    try:
        with pytest.raises(EnvironmentFailure, match=words) as first:
            go(environments, 1, 30)
        if kind != "in-process" and environment is not Poisoned:
            assert "failing.py:" in str(first.value) and str(first.value).startswith("Agent 0: ")
        arrays, rest = environments.state()
        # It fails in the same way where it is restored, and once more where it did nothing before it failed.
        again = opened("in-process", environment, agents=1)
        again.restore(arrays, rest)
        for one in (again,) if environment is Poisoned else (again, environments):
            with pytest.raises(EnvironmentFailure, match=words):
                one.arrivals()
        assert again.state()[1] == rest
    finally:
        environments.close()


@pytest.mark.parametrize(
    ("environment", "limit", "ends"),
    [
        (Suicidal, 60.0, KILLED),
        (Slow, 0.7, {"processes": "last exit code", "ray": r"no answer; of 2 cores of Ray's cluster \d are free"}),
    ],
)
def test_what_ends_again_and_again_is_given_up(environment, limit, ends, processes):
    words = f"of agent 0 was given up: 3 processes ended, or took more than {limit:g} seconds, without a step "
    with opened(processes, environment, agents=1, limit=60.0) as environments:
        environments.begin(0)
        environments.arrivals()
        # Not of the first start, which may take long.
        environments._limit = limit
        with pytest.raises(ActorError, match=rf"{words}\({ends[processes]}"):
            for _ in range(9):
                environments.step(0, 1)
                (arrival,) = environments.arrivals()
                # More than one where a start takes longer than the limit.
                assert arrival.lost >= 1 and arrival.reward is None


def test_what_cannot_be_made_is_told(processes):
    with opened(processes, "NoSuch-v0", agents=1) as environments:
        environments.begin(0)
        for ask in (environments.arrivals, environments.state):
            with pytest.raises(ActorError, match="agent 0 cannot be made: ValueError in .*NoSuch"):
                ask()


def test_errors():
    with pytest.raises(ValueError, match="Limit must be above 0 seconds, not 0"):
        opened("processes", limit=0)
    with pytest.raises(ValueError, match="Environments must be on processes or ray, not 'threads'"):
        opened("processes", on="threads")


def test_bytes_are_numbers_from_zero_to_one():
    environment = ByteEnvironment("ALE/Breakout-v5", 0)
    assert environment.observation_size == 128 and environment.action_size == 4
    for action in (1, 2, 3):
        observation = environment.step(np.asarray(action))[0]
        assert observation.dtype == np.float32 and 0 <= observation.min() < observation.max() <= 1
        assert np.array_equal(observation * 255, environment.env.unwrapped.ale.getRAM())
    one, other = ByteEnvironment(Counting(), 3), DiscreteEnvironment(Counting(), 3)
    assert np.array_equal(one.observation, other.observation)
