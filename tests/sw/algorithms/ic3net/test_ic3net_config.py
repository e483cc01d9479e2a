"""IC3Net's hyper-parameters: errors, and the mapping to and from."""

import pytest

from rewardware.sw.algorithms.ic3net.ic3net_config import IC3NetConfig


def test_mapping_round_trip():
    config = IC3NetConfig(groups=4, precision="half", loss_scale=1024.0, seed=3)
    assert IC3NetConfig.from_mapping(config.to_mapping()) == config


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        ({"groups": 0}, ValueError, "groups must be at least 1, not 0"),
        ({"hidden_size": 1.5}, TypeError, "hidden_size must be a whole number, not 1.5"),
        ({"seed": True}, TypeError, "seed must be a whole number, not True"),
        ({"alpha": 1.5}, ValueError, r"alpha must be in \[0.0, 1.0\], not 1.5"),
        ({"gamma": float("nan")}, ValueError, "gamma must be in .*, not nan"),
        ({"learning_rate": "fast"}, TypeError, "learning_rate must be a number, not 'fast'"),
        ({"precision": "double"}, ValueError, "precision must be float32, mixed or half, not 'double'"),
        ({"precision": 16}, TypeError, "precision must be a string, not 16"),
        ({"grouping_gradient": "all"}, ValueError, "grouping_gradient must be unmasked or dense, not 'all'"),
        ({"sparsity": "magnitude", "groups": 2}, ValueError, "groups must be 1 with sparsity 'magnitude', not 2"),
    ],
)
def test_errors_name_field_value_and_what_is_allowed(values, kind, words):
    with pytest.raises(kind, match=words):
        IC3NetConfig(**values)


def test_unknown_hyper_parameters_are_refused():
    with pytest.raises(ValueError, match="Unknown hyper-parameter tau; known are hidden_size"):
        IC3NetConfig.from_mapping({"tau": 1})
