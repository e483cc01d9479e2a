"""Stable-Baselines3's DQN on the replay manager: its gradient step, its priorities, the same on the RTL."""

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import ReplayBuffer

from rewardware.hw.soc.pearl.config import PearlConfig
from rewardware.sw.algorithms.stable_baselines3 import DeviceReplayBuffer, PrioritizedDQN
from rewardware.sw.device.replay import ReplayDevice
from rewardware.sw.device.replay_backends import open_sum_tree

SETTINGS = {
    "policy": "MlpPolicy", "buffer_size": 150, "learning_starts": 40, "batch_size": 16, "train_freq": 4,
    "target_update_interval": 20, "policy_kwargs": {"net_arch": [8]}, "seed": 0, "device": "cpu",
}  # fmt: skip


def filled_buffer(environments=1, count=40, **settings):
    """Experience n of environment e has the observation 100 e + n, the next one has one more."""
    box, actions = gymnasium.spaces.Box(-1e6, 1e6, (2,), np.float32), gymnasium.spaces.Discrete(2)
    buffer = DeviceReplayBuffer(64, box, actions, "cpu", environments, **settings)
    for number in range(count):
        first = 100.0 * np.arange(environments)[:, np.newaxis] + number + np.zeros(2)
        infos = [{"TimeLimit.truncated": number % 4 == 3}] * environments
        done = np.full(environments, number % 4 >= 2)
        buffer.add(first, first + 1, np.full(environments, number % 2), first[:, 0], done, infos)
    return buffer


@pytest.mark.parametrize("environments", [1, 3])
def test_experiences_are_whole_and_of_every_environment(environments):
    buffer = filled_buffer(environments)
    seen = set()
    for _ in range(20):
        batch = buffer.sample(16)
        numbers = batch.observations[:, :1]
        seen |= set(numbers[:, 0].tolist())
        assert torch.equal(batch.next_observations, batch.observations + 1) and torch.equal(batch.rewards, numbers)
        # A truncated episode went on.
        assert torch.equal(batch.dones, (numbers % 4 == 2).float())
        assert torch.equal(batch.actions, (numbers % 2).long()) and batch.weights.shape == (16, 1)
    kept = [100 * number + step for step in range(40) for number in range(environments)]
    assert seen == set(kept[-64:])


def test_what_is_not_finite_is_refused_and_changes_nothing():
    buffer = filled_buffer(environments=2, count=3)
    one = {"obs": np.zeros((2, 2)), "next_obs": np.ones((2, 2)), "action": np.zeros(2), "done": np.zeros(2)}
    with pytest.raises(ValueError, match="Reward of an experience must be finite in float32, not nan"):
        buffer.add(**one, reward=np.array([1.0, np.nan]), infos=[{}, {}])
    assert buffer.size() == 6 and len(buffer.priorities) == 6


def test_errors_become_priorities():
    buffer = filled_buffer(alpha=1.0, epsilon=0.0)
    buffer.update_priorities(np.arange(40), torch.zeros(40, 1))
    buffer.update_priorities(np.array([7, 9]), torch.tensor([[-3.0], [1.0]]))
    counts = np.bincount(buffer.sample(400).indices, minlength=40)
    assert counts[[7, 9]].tolist() == [300, 100]
    buffer.reset()
    assert buffer.size() == 0
    with pytest.raises(ValueError, match="the buffer is empty"):
        buffer.sample(1)


def test_with_equal_weights_a_step_is_that_of_stable_baselines3(monkeypatch):
    models = [kind(env="CartPole-v1", **SETTINGS).learn(40) for kind in (DQN, PrioritizedDQN)]
    theirs, ours = models
    batch = ours.replay_buffer.sample(16)
    assert (batch.weights == 1).all()
    before = ours.q_net.state_dict()["q_net.0.weight"].clone()
    monkeypatch.setattr(ReplayBuffer, "sample", lambda *_, **__: batch)
    monkeypatch.setattr(DeviceReplayBuffer, "sample", lambda *_, **__: batch)
    for model in models:
        model.train(3, 16)
    assert not torch.equal(before, ours.q_net.state_dict()["q_net.0.weight"])
    for name, value in theirs.q_net.state_dict().items():
        assert torch.equal(value, ours.q_net.state_dict()[name]), name


def test_experiences_of_weight_zero_teach_nothing(monkeypatch):
    model = PrioritizedDQN(env="CartPole-v1", **SETTINGS).learn(40)
    batch = model.replay_buffer.sample(16)
    monkeypatch.setattr(DeviceReplayBuffer, "sample", lambda *_, **__: batch._replace(weights=0 * batch.weights))
    before = {name: value.clone() for name, value in model.q_net.state_dict().items()}
    model.train(1, 16)
    assert all(torch.equal(before[name], value) for name, value in model.q_net.state_dict().items())


def test_the_rtl_trains_as_the_reference():
    config = PearlConfig(leaves=150, fanout=8, priority_width=24, priority_fraction=12)
    networks = []
    for backend in ("reference", "rtl"):
        priorities = ReplayDevice(open_sum_tree(backend, config), seed=5)
        model = PrioritizedDQN(env="CartPole-v1", replay_buffer_kwargs={"priorities": priorities}, **SETTINGS)
        try:
            networks.append(model.learn(240).q_net.state_dict())
            assert len(np.unique(priorities.retrieve(np.arange(150)))) > 50
        finally:
            model.replay_buffer.close()
    assert all(torch.equal(value, networks[1][name]) for name, value in networks[0].items())


def test_what_it_cannot_do_is_refused():
    with pytest.raises(ValueError, match="optimize_memory_usage must be False"):
        filled_buffer(optimize_memory_usage=True)
