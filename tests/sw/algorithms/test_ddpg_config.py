"""Hyper-parameters: defaults, errors, and the mapping to and from."""

import pytest

from rewardware.sw.algorithms.ddpg_config import DDPGConfig


def test_mapping_round_trip():
    config = DDPGConfig(hidden_sizes=[21, 17], seed=5, quantization_delay=10)
    assert DDPGConfig.from_mapping(config.to_mapping()) == config
    assert config.hidden_sizes == (21, 17)


def test_critic_learns_at_the_actors_rate_unless_told():
    assert DDPGConfig(learning_rate=3e-4).critic_rate == 3e-4
    assert DDPGConfig(learning_rate=3e-4, critic_learning_rate=1e-3).critic_rate == 1e-3


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        ({"gamma": 1.5}, ValueError, r"gamma must be in \[0, 1\], not 1.5"),
        ({"gamma": float("nan")}, ValueError, "gamma must be in .*, not nan"),
        ({"learning_rate": 0}, ValueError, r"learning_rate must be in \(0, 1\), not 0"),
        ({"learning_rate": "fast"}, TypeError, "learning_rate must be a number, not 'fast'"),
        ({"batch_size": 0}, ValueError, "batch_size must be at least 1, not 0"),
        ({"batch_size": 2.5}, TypeError, "batch_size must be a whole number, not 2.5"),
        ({"batch_size": True}, TypeError, "batch_size must be a whole number, not True"),
        ({"buffer_size": 10}, ValueError, "buffer_size must be at least 64, not 10"),
        ({"bits": 7}, ValueError, "bits must be at least 8, not 7"),
        ({"bits": 17}, ValueError, "bits must be between 8 and 16, not 17"),
        ({"hidden_sizes": ()}, ValueError, "hidden_sizes must name at least one layer"),
        ({"hidden_sizes": (64, 0)}, ValueError, "hidden_sizes must be at least 1, not 0"),
        ({"quantization_delay": -1}, ValueError, "quantization_delay must be at least 0, not -1"),
        ({"range_margin": 0.5}, ValueError, r"range_margin must be in \[1, 256\], not 0.5"),
        ({"range_margin": None}, TypeError, "range_margin must be a number, not None"),
        ({"reward_scale": float("inf")}, ValueError, "reward_scale must be in .*, not inf"),
    ],
)
def test_errors_name_field_value_and_what_is_allowed(values, kind, words):
    with pytest.raises(kind, match=words):
        DDPGConfig(**values)


def test_unknown_hyper_parameter_is_named():
    with pytest.raises(ValueError, match="Unknown hyper-parameter gama; known are hidden_sizes, batch_size"):
        DDPGConfig.from_mapping({"gama": 0.9})
