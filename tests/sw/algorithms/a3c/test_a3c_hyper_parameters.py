"""A3C's hyper-parameters: what is refused, the learning rate on its way down, mappings."""

import pytest

from rewardware.sw.algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from rewardware.sw.algorithms.a3c.a3c_shape import A3CShape


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        ({"agents": 0}, ValueError, "agents must be at least 1, not 0"),
        ({"agents": 65}, ValueError, "agents must be at most 64, not 65"),
        ({"agents": 2.0}, TypeError, r"agents must be a whole number, not 2\.0"),
        ({"hidden_sizes": ()}, ValueError, r"hidden_sizes must name at least one layer, not \(\)"),
        ({"hidden_sizes": (8, 5000)}, ValueError, "hidden_sizes must be at most 4096, not 5000"),
        ({"rollout_steps": 0}, ValueError, "rollout_steps must be at least 1, not 0"),
        ({"gamma": 1.5}, ValueError, r"gamma must be in \[0\.0, 1\.0\], not 1\.5"),
        ({"rms_prop_decay": 1.0}, ValueError, r"rms_prop_decay must be in \[0\.0, 1\.0\), not 1\.0"),
        ({"rms_prop_epsilon": 0.0}, ValueError, r"rms_prop_epsilon must be in \(0\.0, inf\), not 0\.0"),
        ({"reward_scale": 0.0}, ValueError, r"reward_scale must be in \(0\.0, inf\), not 0\.0"),
        ({"reward_limit": -1.0}, ValueError, r"reward_limit must be in \[0\.0, inf\), not -1\.0"),
        ({"entropy_coefficient": -1.0}, ValueError, r"entropy_coefficient must be in \[0\.0, inf\), not -1\.0"),
        ({"value_coefficient": "1"}, TypeError, "value_coefficient must be a number, not '1'"),
        ({"draw_in_evaluation": 1}, TypeError, "draw_in_evaluation must be True or False, not 1"),
        ({"anneal_steps": -1}, ValueError, "anneal_steps must be at least 0, not -1"),
    ],
)
def test_errors(values, kind, words):
    with pytest.raises(kind, match=words):
        A3CHyperParameters(**values)


def test_defaults_are_the_sources():
    config = A3CHyperParameters()
    assert (config.rollout_steps, config.gamma, config.rms_prop_decay, config.hidden_sizes) == (
        5,
        0.99,
        0.99,
        (256, 128, 64),
    )
    assert A3CHyperParameters.from_mapping(config.to_mapping()) == config


def test_the_learning_rate_goes_down_in_a_line():
    config = A3CHyperParameters(learning_rate=0.5, anneal_steps=100)
    assert [config.learning_rate_at(steps) for steps in (0, 50, 100, 150)] == [0.5, 0.25, 0.0, 0.0]
    assert A3CHyperParameters(learning_rate=0.5).learning_rate_at(10**9) == 0.5


def test_rewards_are_scaled_then_clipped():
    config = A3CHyperParameters(reward_scale=0.5, reward_limit=1.0)
    assert [config.learned_reward(reward) for reward in (-9.0, -1.0, 0.0, 1.5, 3.0)] == [-1.0, -0.5, 0.0, 0.75, 1.0]
    assert A3CHyperParameters(reward_scale=0.5).learned_reward(-9.0) == -4.5
    assert A3CHyperParameters().learned_reward(-9.0) == -9.0


def test_an_older_mapping_has_rewards_as_they_are_and_the_likeliest_actions():
    older = A3CHyperParameters().to_mapping()
    del older["reward_scale"], older["reward_limit"], older["draw_in_evaluation"]
    assert A3CHyperParameters.from_mapping(older) == A3CHyperParameters()


def test_one_action_is_none():
    with pytest.raises(ValueError, match="A3C must have at least 2 actions to choose from, not 1"):
        A3CShape(observation_size=3, actions=1, hidden_sizes=(4,))
