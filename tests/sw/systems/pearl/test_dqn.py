"""The agent: the same on every backend, going on bit-identically, what it refuses."""

import dataclasses

import gymnasium
import numpy as np
import pytest

from rewardware.hw.soc.pearl.config import PearlConfig
from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.core.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.device.replay_backends import ReferenceSumTree
from rewardware.sw.systems.pearl.dqn import DQN

# As that of tests/hw/soc/pearl, so that its simulator is built once; it is full after 150 steps.
HARDWARE = PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=12)
CONFIG = DQNConfig(
    hidden_sizes=(11, 7), batch_size=13, learning_starts=20, train_freq=5, gradient_steps=2, beta_steps=120,
    target_update_interval=17, exploration_steps=90, learning_rate_final=1e-5, learning_rate_steps=160,
)  # fmt: skip


def make(backend="reference", **changes):
    config = DQNConfig.from_mapping({**CONFIG.to_mapping(), **changes})
    return DQN("CartPole-v1", config, hardware=HARDWARE, backend=backend)


def parts(agent, path):
    agent.save(path)
    arrays, about = read_checkpoint(path)
    return arrays, {name: about[name] for name in ("num_timesteps", "replay", "environment", "exploration")}


def assert_same(one, other, folder):
    (left, left_rest), (right, right_rest) = parts(one, folder / "one.zip"), parts(other, folder / "other.zip")
    assert left_rest == right_rest and left.keys() == right.keys()
    for name in left:
        assert np.array_equal(left[name], right[name]), name


def test_every_backend_learns_the_same(tmp_path):
    agents = {backend: make(backend).learn(200) for backend in ("reference", "rtl", "lockstep")}
    try:
        for backend in ("rtl", "lockstep"):
            assert_same(agents["reference"], agents[backend], tmp_path)
        assert agents["reference"].counters() == {"gradient_steps": 72}
        counters = agents["lockstep"].counters()
        # An experience is a packet of its own; a gradient step has two.
        assert counters["replay_lockstep_steps"] >= 200 + 2 * 72 and counters["replay_lockstep_compared"] > 72 * 27
        assert counters["replay_lockstep_equal"] == counters["replay_lockstep_compared"]
        assert counters["sample_cycles"] == agents["rtl"].counters()["sample_cycles"] > 72 * 13
    finally:
        for agent in agents.values():
            agent.close()


@pytest.mark.parametrize("cut", [10, 83, 170])
def test_resumed_training_is_bit_identical(cut, tmp_path):
    """In the warm-up, between trainings, and with experiences that have given way to later ones."""
    straight, path = make().learn(210), tmp_path / "agent.zip"
    make().learn(cut).save(path)
    assert_same(straight, DQN.load(path).learn(210 - cut), tmp_path)
    # The RTL goes on with what the reference began.
    on_rtl = DQN.load(path, backend="rtl")
    try:
        assert_same(straight, on_rtl.learn(210 - cut), tmp_path)
    finally:
        on_rtl.close()


def test_evaluation_and_prediction_do_not_change_training(tmp_path):
    quiet, busy = make().learn(80), make().learn(60)
    assert np.array_equal(busy.evaluate(2), busy.evaluate(2))
    busy.predict(np.zeros(4))
    assert_same(quiet, busy.learn(20), tmp_path)


def test_seed_decides_everything(tmp_path):
    assert_same(make().learn(60), make().learn(60), tmp_path)
    assert not np.array_equal(make(seed=1).learner.save()["online.0.weight"], make().learner.save()["online.0.weight"])


def test_predict_gives_actions_for_one_or_many():
    agent = make()
    action, state = agent.predict(agent.environment.observation)
    assert state is None and agent.environment.env.action_space.contains(action)
    many, _ = agent.predict(np.stack([agent.environment.observation] * 50))
    assert many.shape == (50,) and set(many.tolist()) == {int(action)}
    explored, _ = agent.predict(np.stack([agent.environment.observation] * 50), deterministic=False)
    assert set(explored.tolist()) == {0, 1}
    with pytest.raises(ValueError, match=r"An observation must be a vector of 4 or rows of such, not \(3,\)"):
        agent.predict(np.zeros(3))


def test_a_wrong_answer_of_the_rtl_stops_lockstep(monkeypatch):
    serve = ReferenceSumTree.sample

    def wrong(*arguments):
        answers = serve(*arguments)
        return dataclasses.replace(answers, priority=answers.priority ^ np.uint64(1 << 3))

    monkeypatch.setattr(ReferenceSumTree, "sample", wrong)
    agent = make("lockstep")
    try:
        with pytest.raises(LockstepError, match=r"Packet \d+, samples: RTL differs from the reference in priority"):
            agent.learn(60)
    finally:
        agent.close()


def test_poisoned_rewards_are_an_error_that_loses_nothing(tmp_path):
    class Poisoned(gymnasium.RewardWrapper):
        def reward(self, reward):
            return np.nan if self.poisoned else reward

    env = Poisoned(gymnasium.make("CartPole-v1"))
    env.poisoned = False
    agent = DQN(env, CONFIG, hardware=HARDWARE).learn(45)
    before = agent.replay_buffer.device.retrieve(np.arange(45))
    env.poisoned = True
    with pytest.raises(ValueError, match="Reward [0-9]+ of an episode is nan; rewards must be finite"):
        agent.learn(1)
    assert len(agent.replay_buffer) == 45
    assert np.array_equal(agent.replay_buffer.device.retrieve(np.arange(45)), before)


def test_checkpoints_of_something_else_are_refused(tmp_path):
    path = tmp_path / "agent.zip"
    make().save(path)
    with pytest.raises(CheckpointError, match="is of a configuration with hash"):
        DQN.load(path, hardware="small")
    arrays, about = read_checkpoint(path)
    write_checkpoint(path, arrays, {name: value for name, value in about.items() if name != "exploration"})
    with pytest.raises(CheckpointError, match="lacks exploration"):
        DQN.load(path)
    write_checkpoint(path, arrays, {**about, "agent": "ddpg"})
    with pytest.raises(CheckpointError, match="is a checkpoint of 'ddpg', not of 'prioritized-dqn'"):
        DQN.load(path)


@pytest.mark.parametrize(
    ("env", "backend", "words"),
    [
        ("Pendulum-v1", "reference", "The action space must be Discrete"),
        ("CartPole-v1", "fpga", "Backend must be reference, rtl, lockstep, uart.*, not 'fpga'"),
    ],
)
def test_what_it_cannot_run_is_refused(env, backend, words):
    with pytest.raises(ValueError, match=words):
        DQN(env, CONFIG, hardware=HARDWARE, backend=backend)
