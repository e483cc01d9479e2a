"""The policy that learns from a rule: who acts, what it learns, what does not fit."""

import numpy as np
import pytest
import torch

from rewardware.sw.algorithms.imitation.dagger_config import DaggerConfig
from rewardware.sw.algorithms.imitation.dagger_learner import DaggerLearner
from rewardware.sw.networks.convolution.network_file import load_network
from rewardware.sw.networks.convolution.torch_import import import_module


def learner(**values):
    return DaggerLearner(3, DaggerConfig(**{"hidden": 8, "batch_size": 6, "updates": 4, **values}))


def observations(count):
    return np.random.default_rng(1).integers(0, 256, (count, 84, 84, 4), np.uint8)


def test_the_policy_is_the_network_of_the_package():
    network = import_module(DaggerLearner(18, DaggerConfig()).network, 4, (84, 84)).network
    named = load_network("atari")
    assert [network.layers[name] for name in network.layers] == [named.layers[name] for name in named.layers]
    assert tuple(network.layers) == tuple(named.layers)


def test_the_rule_acts_less_and_less():
    config = DaggerConfig(half_life=100)
    assert [config.rule_share_at(step) for step in (0, 100, 300)] == [1, 0.5, 0.125]
    one, (observation,) = learner(half_life=100), observations(1)
    own = int(one.scores(observation[np.newaxis])[0].argmax())
    other = (own + 1) % 3
    counts = [sum(one.choose(observation, other, step) == other for _ in range(60)) for step in (0, 100, 10_000)]
    assert counts[0] == 60 and 15 < counts[1] < 45 and counts[2] == 0
    assert learner(half_life=0).choose(observation, other, 0) == own


def test_it_learns_what_the_rule_does():
    one = learner(learning_rate=0.001, updates=20, hidden=32)
    for index in range(3):
        picture = np.zeros((84, 84, 4), np.uint8)
        picture[:, 28 * index : 28 * index + 28] = 255
        one.data.add(picture, index, True)
    one.learn()
    first = one.statistics()["loss"]
    one.learn()
    told, indices = one.statistics(), np.arange(3)
    assert told["loss"] < first and told["agreement"] > 0.9
    np.testing.assert_array_equal(one.scores(one.data.observations(indices)).argmax(1), indices)


def test_divergence_is_told():
    one = learner()
    one.data.add(observations(1)[0], 1, True)
    with torch.no_grad():
        one.network.hidden.weight.fill_(float("inf"))
    with pytest.raises(FloatingPointError, match="Training has diverged: the loss is nan"):
        one.learn()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"hidden": 0}, "hidden must be at least 1, not 0"),
        ({"round_steps": 0}, "round_steps must be at least 1, not 0"),
        ({"half_life": -1}, "half_life must be at least 0, not -1"),
        ({"learning_rate": 0.0}, r"learning_rate must be in \(0.0, 1.0\], not 0.0"),
    ],
)
def test_hyper_parameters_are_refused(values, words):
    with pytest.raises(ValueError, match=words):
        DaggerConfig(**values)
