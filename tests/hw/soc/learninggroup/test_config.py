"""Configurations of LearningGroup: what they refuse, and what follows from them."""

import re

import pytest

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig, Network, Rates
from rewardware.hw.soc.learninggroup.hardware import LearningGroupHardware


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"cores": 0}, ValueError, "Cores must be from 1 to 16, not 0"),
        ({"clusters": 2.5}, TypeError, "Clusters must be an integer, not 2.5"),
        ({"cluster_vpus": 6}, ValueError, "Cluster VPUs must be a power of two, not 6"),
        ({"blocks": 3}, ValueError, "Blocks must be a power of two, not 3"),
        ({"groups": 65}, ValueError, "Groups must be from 1 to 64, not 65"),
        ({"features": 0}, ValueError, "Features must be from 1 to 4096, not 0"),
        ({"steps": 257}, ValueError, "Steps must be from 1 to 256, not 257"),
        ({"batches": 17}, ValueError, "Batches must be from 1 to 16, not 17"),
        ({"optimizer_format": 16}, TypeError, "Optimizer format must be a string, not 16"),
        (
            {"optimizer_format": "binary64"},
            ValueError,
            "Optimizer format must be binary16 or binary32, not binary64",
        ),
        ({"system": "fixar"}, ValueError, "System must be learninggroup, not fixar"),
    ],
)
def test_what_a_device_cannot_be(values, error, words):
    with pytest.raises(error, match=re.escape(words)):
        LearningGroupConfig(**values)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"observation_size": 0}, "Observation size must be at least 1, not 0"),
        ({"observation_size": 3, "hidden_size": 0}, "Hidden size must be at least 1, not 0"),
        ({"observation_size": 3, "actions": 1}, "Actions must be at least 2, not 1"),
        ({"observation_size": 3, "agents": 0}, "Agents must be at least 1, not 0"),
        ({"observation_size": 3, "groups": 0}, "Groups must be at least 1, not 0"),
    ],
)
def test_what_a_network_cannot_be(values, words):
    with pytest.raises(ValueError, match=words):
        Network(**values)


def test_what_does_not_fit_a_device():
    config = LearningGroupConfig(name="mine", groups=4, features=100)
    with pytest.raises(ValueError, match="Groups must be at most 4 in configuration mine, not 5"):
        Network(observation_size=9, hidden_size=25, groups=5).check(config)
    with pytest.raises(ValueError, match="Layer input must have at most 100 rows and columns.*, not 26 x 104"):
        Network(observation_size=9, hidden_size=26).check(config)
    Network(observation_size=100, hidden_size=25, groups=4).check(config)


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"learning_rate": "fast"}, TypeError, "Learning rate must be a number, not 'fast'"),
        ({"alpha": 1.5}, ValueError, "Alpha must be from 0 to 1, not 1.5"),
        ({"epsilon": float("nan")}, ValueError, "Epsilon must be from 0 to 1024, not nan"),
        ({"value_coefficient": -1}, ValueError, "Value coefficient must be from 0 to 1024, not -1"),
        ({"grouping_gradient": 3}, TypeError, "Grouping gradient must be a string, not 3"),
        ({"grouping_gradient": "all"}, ValueError, "Grouping gradient must be unmasked or dense, not all"),
    ],
)
def test_what_rates_cannot_be(values, error, words):
    with pytest.raises(error, match=words):
        Rates(**values)


def test_owners_of_columns():
    layers = Network(observation_size=9, hidden_size=10, actions=4).layers

    def owners(name, cores):
        layer = layers[name]
        return [layer.owner(column, 10, cores) for column in range(layer.columns)]

    assert owners("encoder", 3) == owners("communication", 3) == [0] * 4 + [1] * 4 + [2] * 2
    # By hidden unit, with all four gates.
    assert owners("input", 3) == owners("hidden", 3) == 4 * ([0] * 4 + [1] * 4 + [2] * 2)
    assert (owners("policy", 3), owners("gate", 3), owners("value", 3)) == ([0] * 4, [1] * 2, [2])
    assert (owners("policy", 2), owners("gate", 2), owners("value", 2)) == ([0] * 4, [1] * 2, [0])
    # More cores than it takes: the last ones own nothing.
    assert owners("encoder", 4) == [0] * 3 + [1] * 3 + [2] * 3 + [3]


def test_the_papers_sizes():
    config = LearningGroupConfig()
    assert (config.vpus, config.lanes, config.vectors) == (264, 32, 128)


def test_multipliers_of_all_units_have_the_same_depth():
    hardware = LearningGroupHardware(device=LearningGroupConfig(), multiplier_depth=4)
    assert hardware.elementwise.lane.multiplier_depth == hardware.softmax.multiplier_depth == 4
    with pytest.raises(ValueError, match="^Multiplier depth must be from 1 to 6, not 7$"):
        LearningGroupHardware(device=LearningGroupConfig(), multiplier_depth=7)


def test_lanes_of_the_update():
    device = LearningGroupConfig(optimizer_format="binary16")
    hardware = LearningGroupHardware(device=device, update_interval=2)
    assert hardware.parameters.update.lanes // hardware.parameters.update.interval == 8
    assert hardware.grouping_update.rms_prop.format.name == "binary16"
    with pytest.raises(ValueError, match="^Interval must be a divisor of lanes, not 3$"):
        LearningGroupHardware(device=device, update_interval=3)
