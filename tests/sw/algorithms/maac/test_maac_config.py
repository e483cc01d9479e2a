"""MAAC's hyper-parameters: what is refused, in words."""

import pytest

from rewardware.sw.algorithms.maac.maac_config import MAACConfig


def test_defaults_are_those_of_the_source():
    config = MAACConfig()
    assert (config.hidden_size, config.heads, config.batch_size) == (128, 4, 1024)
    assert (config.gamma, config.tau, config.reward_scale) == (0.99, 0.001, 100)
    assert MAACConfig.from_mapping(config.to_mapping()) == config


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"hidden_size": 0}, ValueError, "hidden_size must be at least 1, not 0"),
        ({"hidden_size": 10}, ValueError, "hidden_size must be a multiple of the 4 heads, not 10"),
        ({"heads": 1.0}, TypeError, "heads must be a whole number, not 1.0"),
        ({"updates": -1}, ValueError, "updates must be at least 0, not -1"),
        ({"buffer_size": 1000}, ValueError, "buffer_size must be at least the batch_size 1024, not 1000"),
        ({"gamma": 1.5}, ValueError, r"gamma must be in \[0.0, 1.0\], not 1.5"),
        ({"tau": "1"}, TypeError, "tau must be a number, not '1'"),
        ({"reward_scale": 0}, ValueError, r"reward_scale must be in \(0.0, inf\), not 0"),
        ({"normalize_rewards": 1}, TypeError, "normalize_rewards must be True or False, not 1"),
    ],
)
def test_refusals(values, error, words):
    with pytest.raises(error, match=words):
        MAACConfig(**values)
