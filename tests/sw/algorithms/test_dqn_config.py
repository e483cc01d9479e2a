"""DQN's hyper-parameters: what they give at a step, what they refuse."""

import pytest
import yaml

from rewardware import DQN
from rewardware.hw.cores.replay.config import SumTreeConfig
from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.device.replay import ReplayDevice
from rewardware.sw.device.replay_backends import open_sum_tree


def test_what_changes_does_so_with_steps():
    config = DQNConfig(exploration_final_eps=0.5, exploration_steps=100, beta=0.25, beta_steps=200)
    assert [config.exploration_at(step) for step in (0, 50, 100, 900)] == [1, 0.75, 0.5, 0.5]
    assert [config.beta_at(step) for step in (0, 100, 200, 900)] == [0.25, 0.625, 1, 1]
    config = DQNConfig(learning_rate=0.5, learning_rate_final=0.0, learning_rate_steps=100)
    assert [config.learning_rate_at(step) for step in (0, 50, 100, 900)] == [0.5, 0.25, 0, 0]
    assert DQNConfig(learning_rate=0.5).learning_rate_at(70) == 0.5
    assert DQNConfig(exploration_steps=0).exploration_at(0) == 0.05


def test_an_environment_has_its_own():
    config = DQNConfig.from_mapping(DQNConfig.suited_to("CartPole-v1"))
    assert config.hidden_sizes == (256, 256) and config.to_mapping()["hidden_sizes"] == [256, 256]
    assert DQNConfig.suited_to("Acrobot-v1") == DQNConfig.suited_to(None) == {}


def test_files_of_the_replay_manager_and_the_learner_have_their_own(tmp_path):
    for name, system, fields in (
        ("replay", "pearl", {"leaves": 64}),
        ("learner", "pearl_learner", {"sizes": [2, 5, 2], "units": [1, 1]}),
    ):
        training = {"learning_starts": 70, "batch_size": 16 if name == "replay" else 8}
        text = yaml.safe_dump({"system": system, "hardware": fields, "training": training})
        (tmp_path / f"{name}.yaml").write_text(text)
    replay, learner = tmp_path / "replay.yaml", str(tmp_path / "learner.yaml")
    of_replay = DQNConfig.suited_to("CartPole-v1", hardware=replay)
    assert of_replay["batch_size"] == 16 and of_replay["learning_starts"] == 70
    assert of_replay["hidden_sizes"] == [256, 256]
    assert DQNConfig.suited_to("CartPole-v1", learner, replay)["batch_size"] == 8
    with DQN("CartPole-v1", hardware=replay) as agent:
        assert (agent.config.batch_size, agent.config.hidden_sizes) == (16, (256, 256))


def test_the_largest_batch_is_that_of_the_replay_manager():
    batch = DQNConfig(batch_size=65535).batch_size
    with ReplayDevice(open_sum_tree("reference", SumTreeConfig(leaves=4))) as device:
        device.insert([1.0])
        assert len(device.sample(batch).indices) == batch
        with pytest.raises(ValueError, match="Number of samples must be from 1 to 65535, not 65536"):
            device.sample(batch + 1)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"hidden_sizes": ()}, ValueError, r"hidden_sizes must name at least one layer, not \(\)"),
        ({"batch_size": 0}, ValueError, "batch_size must be at least 1, not 0"),
        (
            {"batch_size": 65536},
            ValueError,
            "batch_size must be at most 65535, .*, not 65536",
        ),
        ({"train_freq": 1.5}, TypeError, "train_freq must be a whole number, not 1.5"),
        ({"double_q": 1}, TypeError, "double_q must be True or False, not 1"),
        ({"loss": "absolute"}, ValueError, "loss must be huber or squared, not 'absolute'"),
        ({"beta": 1.1}, ValueError, r"beta must be in \[0, 1\], not 1.1"),
        ({"alpha": -0.1}, ValueError, r"alpha must be in \[0, inf\), not -0.1"),
    ],
)
def test_what_means_nothing_is_refused(settings, error, words):
    with pytest.raises(error, match=words):
        DQNConfig(**settings)
