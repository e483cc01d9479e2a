"""DQN with actors: the same on every backend, going on bit-identically, an actor lost, refusals."""

import os
import signal

import numpy as np
import pytest

from rewardware.sw.core.checkpoint import CheckpointError, read_checkpoint
from rewardware.sw.systems.pearl.dqn import DQN
from rewardware.sw.systems.pearl.sac import SAC
from tests.sw.algorithms.checkpoints import assert_same_arrays
from tests.sw.algorithms.counting import Counting
from tests.sw.systems.pearl.test_dqn import CONFIG, HARDWARE


def make(env="CartPole-v1", **settings):
    return DQN(env, CONFIG, hardware=HARDWARE, **{"actors": 1, "environments": 5, **settings})


def learned(path, agent=None, steps=200, **settings):
    """Contents of a checkpoint after training: arrays, and the rest but for where it ran."""
    agent = agent or make(**settings)
    try:
        agent.learn(steps).save(path)
    finally:
        agent.close()
    arrays, about = read_checkpoint(path)
    return arrays, {name: about[name] for name in ("num_timesteps", "replay", "environment", "loop")}


def assert_same(one, other):
    (left, left_rest), (right, right_rest) = one, other
    assert left_rest == right_rest
    assert_same_arrays(left, right)


@pytest.mark.parametrize("actors", [1, 2])
def test_resumed_training_is_bit_identical_on_every_backend(actors, tmp_path):
    straight = learned(tmp_path / "straight.zip", actors=actors)
    assert straight[1]["num_timesteps"] == 200 and straight[1]["loop"]["gradient_steps"] == 72
    learned(tmp_path / "agent.zip", actors=actors, steps=90)
    # On the reference the buffer works between gradient steps, on others during them.
    for backend in ("reference", "lockstep"):
        agent = DQN.load(tmp_path / "agent.zip", backend=backend)
        assert_same(straight, learned(tmp_path / "resumed.zip", agent, 110))


def test_in_process_actors_learn_the_same_and_go_on_where_processes_ended(tmp_path):
    straight = learned(tmp_path / "straight.zip", actors=2)
    assert_same(straight, learned(tmp_path / "near.zip", actors=2, actors_on="in-process"))
    learned(tmp_path / "agent.zip", actors=2, steps=90)
    agent = DQN.load(tmp_path / "agent.zip", actors_on="in-process")
    assert agent.actors_on == "in-process"
    assert_same(straight, learned(tmp_path / "resumed.zip", agent, 110))


def test_saving_and_evaluating_do_not_change_training(tmp_path):
    quiet, records = learned(tmp_path / "quiet.zip", steps=120), []

    def callback(agent, record):
        records.append(record)
        if record["step"] in (40, 77):
            agent.save(tmp_path / "between.zip")
            agent.evaluate(1)

    agent = make()
    agent.learn(100, callback)
    assert_same(quiet, learned(tmp_path / "busy.zip", agent, 20))
    assert [record["step"] for record in records] == list(range(1, 101))
    assert {record["reward"] for record in records} == {1.0}
    assert all(record["return"] == record["length"] for record in records if "return" in record)
    assert sum("error" in record for record in records) == 16


def test_training_goes_on_when_an_actor_is_killed():
    agent = make(Counting, actors=2, environments=2)
    try:
        agent.learn(60)
        os.kill(agent.pool.process_ids[1], signal.SIGKILL)
        agent.learn(60)
        counters = agent.counters()
        assert agent.num_timesteps == len(agent.replay_buffer) == 120
        assert counters["restarts"] == 1 and counters["gradient_steps"] == 40
        priorities = agent.replay_buffer.device.retrieve(np.arange(120))
        assert np.count_nonzero(priorities == 0) == counters["dropped"] <= 24
    finally:
        agent.close()


def test_training_stops_behind_a_round():
    agent = make()
    try:
        assert agent.learn(100, lambda agent, record: record["step"] < 12).num_timesteps == 15
        # Whole rounds, and at least as many steps as asked.
        assert agent.learn(12).num_timesteps == 30
    finally:
        agent.close()


def test_checkpoints_of_another_agent_are_refused(tmp_path):
    learned(tmp_path / "agent.zip", steps=5)
    with pytest.raises(CheckpointError, match="is a checkpoint of 'prioritized-dqn', not of 'prioritized-sac'"):
        SAC.load(tmp_path / "agent.zip")
