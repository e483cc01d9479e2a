"""A3C: training that repeats and goes on, asynchronous runs done again, failures, refusals."""

import os
import signal

import gymnasium
import numpy as np
import pytest

from rewardware import A3C, A3CHyperParameters
from rewardware.sw.core.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from rewardware.sw.core.environments.failure import EnvironmentFailure
from rewardware.sw.core.environments.make_environment import make_environment
from rewardware.sw.systems.agents import load_agent
from tests.sw.actors.cut import Cut
from tests.sw.actors.failing import FailsInStep

# Every checkpoint has these entries.
WRITTEN = ("format", "version", "rewardware", "arrays")


def config(**values):
    return A3CHyperParameters(
        **{"agents": 3, "hidden_sizes": (8, 6), "rollout_steps": 4, "learning_rate": 0.01, **values}
    )


def make(env="CartPole-v1", backend="reference", environments="in-process", **values):
    return A3C(env, config(**values), backend=backend, environments=environments)


def records_of(agent, steps):
    records = []
    agent.learn(steps, lambda _, record: records.append(record))
    return records


def state_of(agent, path):
    agent.save(path)
    return read_checkpoint(path)


def assert_same(one, other):
    for mine, yours in zip(one, other, strict=True):
        assert mine.keys() == yours.keys()
        for name in mine:
            assert np.array_equal(mine[name], yours[name]), name


@pytest.mark.parametrize("backend", ["reference", "torch"])
@pytest.mark.parametrize("env", ["CartPole-v1", Cut], ids=["cartpole", "function"])
def test_same_seed_same_bits_and_a_checkpoint_goes_on(env, backend, tmp_path):
    given = None if env == "CartPole-v1" else env
    with make(env, backend, seed=4) as whole, make(env, backend, seed=4) as part:
        expected = records_of(whole, 240)
        assert records_of(part, 120) == expected[:120]
        part.save(tmp_path / "part.zip")
        with A3C.load(tmp_path / "part.zip", given) as resumed:
            assert resumed.num_timesteps == 120 and records_of(resumed, 120) == expected[120:]
            assert_same(state_of(resumed, tmp_path / "a.zip"), state_of(whole, tmp_path / "b.zip"))
    with make(env, backend, seed=5) as other:
        assert records_of(other, 120) != expected[:120]


def test_evaluation_draws_actions_if_asked(tmp_path):
    with make(seed=4) as likeliest, make(seed=4, draw_in_evaluation=True) as drawn:
        found = [agent.evaluate(5).tolist() for agent in (likeliest, drawn, drawn)]
        assert found[1] == found[2] != found[0] and drawn.evaluate(5, seed=9).tolist() != found[1]
        drawn.save(tmp_path / "drawn.zip")
    with A3C.load(tmp_path / "drawn.zip") as again:
        assert again.evaluate(5).tolist() == found[1]


def test_a_film_has_actions_that_are_drawn_if_asked(tmp_path):
    with make(seed=4) as likeliest, make(seed=4, draw_in_evaluation=True) as drawn:
        films = []
        for number, (agent, seed) in enumerate([(likeliest, None), (drawn, None), (drawn, None), (drawn, 9)]):
            agent.film(tmp_path / f"{number}.gif", seed)
            films.append((tmp_path / f"{number}.gif").read_bytes())
    assert films[1] == films[2] and len({films[0], films[1], films[3]}) == 3


def short_game():
    return make_environment("ALE/Breakout-v5", obs_type="ram", max_episode_steps=15)


def test_a_game_goes_on_with_the_same_bits_over_several_episodes(tmp_path):
    path, last = tmp_path / "part.zip", tmp_path / "last.zip"
    with make(short_game, seed=4) as whole, make(short_game, seed=4) as part:
        expected = records_of(whole, 150)
        assert sum("return" in record for record in expected) == 9
        assert records_of(part, 75) == expected[:75]
        part.save(path)
        expected_state = state_of(whole, last)
    with A3C.load(path, short_game) as resumed:
        assert records_of(resumed, 75) == expected[75:]
        assert_same(state_of(resumed, tmp_path / "a.zip"), expected_state)
    with A3C.again(last, short_game) as again:
        assert_same(state_of(again, tmp_path / "b.zip"), expected_state)


def test_an_evaluation_leaves_training_alone(tmp_path):
    with make() as one, make() as other:
        records_of(one, 100)
        expected = records_of(other, 50)
        first = other.evaluate(3)
        assert np.array_equal(other.evaluate(3), first) and not np.array_equal(other.evaluate(3, seed=1), first)
        records_of(other, 50)
        assert_same(state_of(one, tmp_path / "a.zip"), state_of(other, tmp_path / "b.zip"))
        assert expected and other.baseline(2)["mean"] > 5
        observation = np.zeros(4, np.float32)
        action, state = other.predict(observation)
        rows, _ = other.predict(np.stack([observation] * 3))
        assert state is None and rows.tolist() == [int(action)] * 3
        assert {int(other.predict(observation, deterministic=False)[0]) for _ in range(50)} == {0, 1}
        with pytest.raises(ValueError, match="An observation must be a vector of 4 or rows of such"):
            other.predict(np.zeros(5))


def test_an_asynchronous_run_with_a_killed_process_is_done_again(tmp_path):
    path, last = tmp_path / "checkpoint.zip", tmp_path / "last.zip"
    with make(environments="processes") as agent:
        agent.learn(60)
        os.kill(agent.learner.environments.process_ids[2], signal.SIGKILL)
        agent.learn(100)
        assert agent.counters()["restarts"] == 1 and "dropped" in agent.statistics()
        agent.save(path)
    # It goes on where it was, in processes or not.
    with A3C.load(path, environments="in-process") as resumed, A3C.load(path) as processes:
        assert resumed.place == "in-process" and processes.place == "processes"
        resumed.learn(60)
        processes.learn(10)
        resumed.save(last)
    with A3C.again(last) as again:
        assert_same(read_checkpoint(last), state_of(again, tmp_path / "again.zip"))


def test_each_backend_goes_on_with_what_the_other_left(tmp_path):
    with make(backend="torch") as agent:
        agent.learn(60)
        agent.save(tmp_path / "checkpoint.zip")
    with A3C.load(tmp_path / "checkpoint.zip", backend="reference") as agent:
        agent.learn(60)
        assert agent.backend == "reference" and agent.num_timesteps >= 120
        agent.save(tmp_path / "checkpoint.zip")
    with load_agent(tmp_path / "checkpoint.zip", backend="torch") as agent:
        assert isinstance(agent, A3C) and len(agent.evaluation(2)["returns"]) == 2


@pytest.mark.parametrize("environments", ["processes", "in-process"])
def test_an_environment_that_fails_leaves_everything_as_it_was(environments, tmp_path):
    with make(FailsInStep, environments=environments) as agent:
        with pytest.raises(EnvironmentFailure, match="ZeroDivisionError"):
            agent.learn(100)
        agent.save(tmp_path / "checkpoint.zip")
        steps = agent.num_timesteps
    # With an environment that is all right it goes on.
    with A3C.load(tmp_path / "checkpoint.zip", Cut, environments="in-process") as agent:
        assert agent.num_timesteps == steps
        records = records_of(agent, 60)
        assert [record["step"] for record in records] == list(range(steps + 1, steps + len(records) + 1))


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        ({"env": "Pendulum-v1"}, ValueError, "The action space must be Discrete, not Box"),
        ({"env": "NoSuch-v0"}, ValueError, "Environment 'NoSuch-v0' cannot be made"),
        ({"env": gymnasium.make("CartPole-v1")}, TypeError, "must be an identifier or a function that makes one"),
        ({"env": 7}, TypeError, "must be an identifier or a function that makes one, not 7"),
        ({"environments": "threads"}, ValueError, "must be one of processes, in-process, ray, not 'threads'"),
        (
            {"backend": "gpu"},
            ValueError,
            "Backend must be torch, reference, rtl, lockstep, uart.*, not 'gpu'",
        ),
    ],
)
def test_errors(arguments, kind, words):
    with pytest.raises(kind, match=words):
        make(**arguments)


def test_checkpoints_of_something_else_are_refused(tmp_path):
    path = tmp_path / "checkpoint.zip"
    with make(Cut) as agent:
        agent.learn(20)
        agent.save(path)
    with pytest.raises(CheckpointError, match="is not registered: give the environment"):
        A3C.load(path)
    with pytest.raises(CheckpointError, match="is of observations of 2 elements, not of 4"):
        A3C.load(path, "CartPole-v1")
    arrays, about = read_checkpoint(path)
    del arrays["learner/agent1.layer1.weight"]
    write_checkpoint(path, arrays, {name: value for name, value in about.items() if name not in WRITTEN})
    with pytest.raises(CheckpointError, match=r"lacks agent1\.layer1\.weight"):
        A3C.load(path, Cut)
