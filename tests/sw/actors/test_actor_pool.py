"""Actors in processes: rounds that depend on the seed alone, actors that die, errors, limits, going on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from rewardware.sw.actors.actor_pool import ActorError, ActorPool
from rewardware.sw.core.environments.environment import DiscreteEnvironment
from tests.sw.algorithms.counting import Counting, Growing, Poisoned, Slow, Suicidal


def tell_weights(weights, observations, step, generator):
    """Actions that say with which weights they were chosen."""
    return np.full(len(observations), int(weights[0][0]) % 3)


def open_pool(environment=Counting, **settings):
    settings = {"actors": 2, "environments": 3, "limit": 60.0, **settings}
    return ActorPool(environment, DiscreteEnvironment, tell_weights, [np.zeros(1, np.float32)], **settings)


def open_in_process(environment=Counting, **settings):
    return open_pool(environment, actors_on="in-process", **settings)


def rounds(pool, count, first=0):
    """Records of each environment, and what was lost, round by round; weights are the number of the next round."""
    records, lost = [], []
    for number in range(first, first + count):
        gathered = pool.round()
        records.append(gathered.records.reshape(-1, pool.environments))
        lost.append(gathered.lost)
        pool.weights.publish(number, [np.array([number + 1], np.float32)])
        pool.release()
    return np.concatenate(records).swapaxes(0, 1), lost


def assert_whole_episodes(records):
    """Records of one environment: each step follows the one before, episodes are told once, at their end."""
    taken, episode = 0, None
    for record in records:
        number, before = record["observation"]
        if taken:
            assert (number, before) == (episode, taken)
        else:
            assert before == 0 and number != episode
        episode, taken = number, taken + 1
        assert record["next_observation"].tolist() == [episode, taken] and record["reward"] == taken
        assert record["ends"] == record["terminated"]
        told = (taken * (taken + 1) / 2, taken) if record["ends"] else (0, 0)
        assert (record["return"], record["length"]) == told
        if record["ends"]:
            assert 5 <= taken <= 12
            taken = 0


def assert_as_in_processes(open_there, **settings):
    """Rounds and states are those of actors in processes, and who went over goes on as it would have gone on there."""
    with open_pool(**settings) as pool, open_there(**settings) as there, open_there(**settings) as other:
        expected, lost = rounds(there, 20)
        assert np.array_equal(rounds(pool, 20)[0], expected) and not any(lost)
        arrays, rest = pool.state()
        found, found_rest = there.state()
        assert rest == found_rest and arrays.keys() == found.keys()
        assert all(np.array_equal(arrays[name], found[name]) for name in arrays)
        # Cores of a cluster are free again.
        there.close()
        other.restore(arrays, rest)
        assert np.array_equal(rounds(pool, 20, 20)[0], rounds(other, 20, 20)[0])
        with pytest.raises(RuntimeError, match="Actors run already: a state is restored before the first round"):
            other.restore(arrays, rest)


def test_rounds_are_of_whole_episodes_with_the_weights_published_before():
    with open_pool() as pool, open_pool() as again, open_pool(seed=1) as other:
        records, lost = rounds(pool, 40)
        assert records.shape == (6, 40) and not any(lost)
        for environment in records:
            assert_whole_episodes(environment)
            assert environment["action"].tolist() == [number % 3 for number in range(40)]
        # No two environments have the same episodes.
        assert len({float(environment["observation"][0, 0]) for environment in records}) == 6
        assert np.array_equal(records, rounds(again, 40)[0])
        assert not np.array_equal(records, rounds(other, 40)[0])


@pytest.mark.parametrize("steps", [1, 7])
def test_in_process_rounds_and_states_are_those_of_processes(steps):
    assert_as_in_processes(open_in_process, steps=steps)
    with open_in_process() as pool:
        pool.round()
        assert pool.process_ids == [os.getpid()] * 2


def test_in_process_actors_have_policies_of_their_own():
    """One that counts gives each actor the numbers from 1, and the learner's stays as it is."""
    policy = CountingPolicy()
    with ActorPool(
        Counting, DiscreteEnvironment, policy, [np.zeros(1, np.float32)], actors=2, environments=1,
        actors_on="in-process",
    ) as pool:  # fmt: skip
        assert rounds(pool, 3)[0]["action"].tolist() == [[1, 2, 0]] * 2
    assert policy.taken == 0


class CountingPolicy:
    """Actions 1, 2, 0, 1, ..."""

    taken = 0

    def __call__(self, weights, observations, step, generator):
        self.taken += 1
        return np.full(len(observations), self.taken % 3)


@pytest.mark.parametrize("environment", [Poisoned, Growing])
def test_an_in_process_actor_that_failed_is_started_again_when_asked_to(environment):
    with open_in_process(environment, actors=1) as pool:
        for restarts in range(2):
            with pytest.raises(ActorError, match="Actor 0 failed with") as failed:
                rounds(pool, 4)
            # The environment's own error, with its place, is there for a traceback.
            assert failed.value.__cause__ is not None and "_step" in failed.value.__notes__[0]
            assert pool.restarts == restarts and not pool.process_ids
        # A checkpoint after an error has the episodes that began anew, and says which ones were lost.
        _, rest = pool.state()
        assert (rest["restarts"], rest["lost"]) == (2, [0, 1, 2])


def test_in_process_environments_are_closed():
    Closing.closed = 0
    pool = open_in_process(Closing)
    pool.round()
    made_for_their_shape = Closing.closed
    pool.close()
    assert Closing.closed == made_for_their_shape + 6
    with open_in_process(Closing, environments=1) as pool:
        Closing.left = 1
        with pytest.raises(ActorError, match="Actor 1 failed with RuntimeError: No more"):
            pool.round()
    # An actor could be made, and another one could not.
    assert Closing.closed == made_for_their_shape + 6 + 1 + 1


class Closing(Counting):
    """Counts how many were closed; only so many can be made, if a number is given."""

    closed, left = 0, None

    def __init__(self):
        cls = type(self)
        if cls.left == 0:
            cls.left = None
            raise RuntimeError("No more")
        if cls.left is not None:
            cls.left -= 1

    def close(self):
        type(self).closed += 1


@pytest.mark.parametrize("steps", [1, 7])
def test_state_goes_on_with_the_same_rounds(steps):
    with open_pool(steps=steps) as pool, open_pool(steps=steps) as other:
        rounds(pool, 17)
        # Taking it changes nothing, whenever it is taken.
        pool.round()
        state = pool.state()
        expected, _ = rounds(pool, 20, 17)
        other.restore(*state)
        found, _ = rounds(other, 20, 17)
        for environment in found:
            begin = int(np.argmax(environment["observation"][:, 1] == 0))
            assert_whole_episodes(environment[begin:])
            assert environment["action"].tolist() == [number % 3 for number in range(17, 37) for _ in range(steps)]
        assert np.array_equal(found, expected)
        with pytest.raises(RuntimeError, match="Actors run already: a state is restored before the first round"):
            other.restore(*state)
    with (
        open_pool(environments=2) as smaller,
        pytest.raises(ValueError, match=r"There must be 2 actors with 2 environments, not \[3, 3\]"),
    ):
        smaller.restore(*state)


def test_a_killed_actor_is_started_again_and_nothing_comes_twice(caplog):
    with open_pool() as pool:
        before, _ = rounds(pool, 10)
        pool.round()
        os.kill(pool.process_ids[1], signal.SIGKILL)
        after, lost = rounds(pool, 30)
        assert pool.restarts == 1 and "Actor 1 is started again: last exit code -9" in caplog.text
        (number,) = [number for number, environments in enumerate(lost) if environments]
        # A round that was there when its actor died is there still.
        assert number <= 2 and lost[number] == (3, 4, 5)
        for environment in range(3):
            assert_whole_episodes(np.concatenate([before[environment], after[environment]]))
        for environment in range(3, 6):
            assert_whole_episodes(np.concatenate([before[environment], after[environment, :number]]))
            assert_whole_episodes(after[environment, number:])
        seen = np.concatenate([before, after], axis=1)["observation"].reshape(-1, 2).tolist()
        assert len({tuple(one) for one in seen}) == len(seen) == 240


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        (Poisoned, "Actor 0 failed with NonFiniteError: Reward 4 of an episode is nan; rewards must be finite"),
        (Growing, r"An observation of shape \(9,\) does not go into the queue's record, .* for one of \(2,\)"),
        (Suicidal, r"Actor 0 was given up: 3 processes ended, .*, without a round \(last exit code -9\)"),
    ],
)
def test_what_actors_cannot_do_is_an_error(environment, words):
    with open_pool(environment, actors=1) as pool, pytest.raises(ActorError, match=words):
        rounds(pool, 4)


def test_an_actor_that_takes_too_long_is_ended():
    with (
        open_pool(Slow, actors=1, limit=1.0) as pool,
        pytest.raises(ActorError, match="3 processes ended, or took more than 1 seconds"),
    ):
        pool.round()


def test_what_cannot_be_a_pool_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="Number of actors must be at least 1, not 0"):
        open_pool(actors=0)
    with pytest.raises(ValueError, match="Limit must be above 0 seconds, not 0"):
        open_pool(limit=0)
    with pytest.raises(ValueError, match="Actors must be one of processes, in-process, ray, not 'threads'"):
        open_pool(actors_on="threads")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"Actors on Ray need the package ray: pip install 'rewardware\[ray\]'"):
        open_pool(actors_on="ray")
    pool = open_pool(actors=1)
    pool.close()
    with pytest.raises(RuntimeError, match="The pool of actors is closed"):
        pool.round()


HOST = """
import time
import numpy as np
from tests.sw.actors.test_actor_pool import open_pool
if __name__ == "__main__":
    pool = open_pool()
    pool.round()
    print(*pool.process_ids, flush=True)
    time.sleep(600)
"""


def test_actors_end_with_their_host(tmp_path):
    script = tmp_path / "host.py"
    script.write_text(HOST)
    root = Path(__file__).parents[3]
    host = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(root)}
    )
    try:
        actors = [int(number) for number in host.stdout.readline().split()]
        assert len(actors) == 2
    finally:
        host.kill()
        host.communicate(timeout=60)
    until = time.monotonic() + 60
    while any(map(_runs, actors)):
        assert time.monotonic() < until
        time.sleep(0.05)


def _runs(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    # Whoever takes in orphans may take its time to bury them.
    return state != "Z"
