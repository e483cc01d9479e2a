"""Actors on Ray, on a cluster of two nodes: the same rounds as of processes, actors and nodes that die, errors."""

import functools
import os
import signal

import numpy as np
import pytest
import ray

from rewardware.sw.actors.actor_pool import ActorError
from rewardware.sw.actors.ray_actor import RayWeights
from tests.sw.actors.test_actor_pool import assert_as_in_processes, assert_whole_episodes, open_pool, rounds
from tests.sw.algorithms.counting import Poisoned, Slow, Suicidal
from tests.sw.systems.pearl.test_actors import assert_same, learned


def test_rounds_and_states_are_those_of_processes(cluster):
    assert_as_in_processes(functools.partial(open_pool, actors_on="ray"))


def test_weights_are_those_that_were_published(cluster):
    array = np.zeros(3, np.float32)
    weights = RayWeights([array])
    # As a learner goes on; an actor that starts again later still gets what was published.
    array += 1
    step, (found,) = ray.get(weights.reference)
    assert step == 0 and not found.any()


def test_an_agent_learns_the_same(cluster, tmp_path):
    expected = learned(tmp_path / "processes.zip", actors=2, steps=90)
    assert_same(expected, learned(tmp_path / "ray.zip", actors=2, steps=90, actors_on="ray"))


def kill_an_actor(cluster, pool):
    os.kill(pool.process_ids[1], signal.SIGKILL)


def kill_a_node(cluster, pool):
    (node,) = cluster.worker_nodes
    cluster.add_node(num_cpus=1)
    cluster.remove_node(node, allow_graceful=False)


@pytest.mark.parametrize("kill", [kill_an_actor, kill_a_node])
def test_what_is_killed_is_started_again_and_nothing_comes_twice(kill, cluster):
    with open_pool(actors_on="ray") as pool:
        before, _ = rounds(pool, 10)
        pool.round()
        kill(cluster, pool)
        after, lost = rounds(pool, 30)
        assert pool.restarts == 1
        ((number, gone),) = [(number, environments) for number, environments in enumerate(lost) if environments]
        assert number >= 1 and gone in ((0, 1, 2), (3, 4, 5))
        for environment in range(6):
            first = number if environment in gone else 30
            assert_whole_episodes(np.concatenate([before[environment], after[environment, :first]]))
            assert_whole_episodes(after[environment, first:])
        seen = np.concatenate([before, after], axis=1)["observation"].reshape(-1, 2).tolist()
        assert len({tuple(one) for one in seen}) == len(seen) == 240
    # Until Ray misses the node, it would place the next test's actors there, where nobody answers.
    cluster.wait_for_nodes()


@pytest.mark.parametrize(
    ("environment", "limit", "words"),
    [
        (Poisoned, 60.0, "Actor 0 failed with NonFiniteError: Reward 4 of an episode is nan; rewards must be finite"),
        (Suicidal, 60.0, r"Actor 0 was given up: 3 processes ended, .*\(ActorDiedError: The actor died unexpectedly"),
        (Slow, 1.0, r"took more than 1 seconds, without a round \(no answer; of \d cores of Ray's cluster \d are free"),
    ],
)
def test_what_actors_cannot_do_is_an_error(environment, limit, words, cluster):
    with (
        open_pool(environment, actors=1, limit=limit, actors_on="ray") as pool,
        pytest.raises(ActorError, match=words),
    ):
        rounds(pool, 4)
