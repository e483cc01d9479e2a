"""A network of policy and value on the convolution engine."""

import math
from contextlib import closing

import numpy as np
import pytest
import torch
from torch import nn

from rewardware.sw.core.environments.board_game import BoardGame
from rewardware.sw.search.engine_evaluator import EngineEvaluator
from rewardware.sw.search.reference_search import ReferenceSearch
from rewardware.sw.search.search_config import SearchConfig
from rewardware.sw.search.search_roots import observed
from rewardware.sw.systems.inference import networks_on

from .evaluators import some_states


class PolicyValue(nn.Module):
    """A network like AlphaZero's: common convolutions, and two heads of convolutions of 1 x 1 and linear layers."""

    def __init__(self, channels, rows, columns, actions):
        super().__init__()
        self.common = nn.Sequential(
            nn.Conv2d(channels, 5, 3, padding=1), nn.ReLU(),
            nn.Conv2d(5, 6, 3, padding=1), nn.ReLU(),
            nn.Conv2d(6, 7, 3, padding=1), nn.ReLU(),
        )  # fmt: skip
        self.policy_convolution, self.value_convolution = nn.Conv2d(7, 4, 1), nn.Conv2d(7, 2, 1)
        self.policy = nn.Linear(4 * rows * columns, actions)
        self.value_hidden, self.value = nn.Linear(2 * rows * columns, 9), nn.Linear(9, 1)

    def forward(self, planes):
        common = self.common(planes)
        policy = torch.relu(self.policy_convolution(common)).flatten(1)
        value = torch.relu(self.value_convolution(common)).flatten(1)
        return self.policy(policy), self.value(torch.relu(self.value_hidden(value)))


def network_of(game, seed=1):
    torch.manual_seed(seed)
    return PolicyValue(*game.observation_shape, game.actions)


def positions(name, count=6, seed=3):
    game = BoardGame(name)
    return game, *observed(game, some_states(game, count, seed))


@pytest.mark.parametrize("width", [8, 16])
@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four"])
def test_numbers_are_those_of_the_network_on_integers(name, width):
    game, planes, legal = positions(name)
    with closing(EngineEvaluator(network_of(game), planes, networks_on("reference"), width=width)) as evaluator:
        network = evaluator.model.network
        priors, values = evaluator.evaluate(planes, legal)
        assert evaluator.counters()["saturated"] >= 0
    for position, allowed, own, value in zip(planes, legal, priors, values, strict=True):
        words = network.infer(network.to_words(position.transpose(1, 2, 0).astype(np.float64))).words
        scores = network.to_numbers("policy", words["policy"]).reshape(-1)
        shares = [math.exp(score) if legal else 0.0 for score, legal in zip(scores, allowed, strict=True)]
        np.testing.assert_allclose(own, np.array(shares) / sum(shares), rtol=1e-6)
        assert value == np.float32(math.tanh(network.to_numbers("value", words["value"]).item()))


def test_sixteen_bits_are_near_pytorch():
    """Planes, actions and outputs stand where they do in PyTorch."""
    game, planes, legal = positions("connect-four", 20)
    module = network_of(game)
    with torch.no_grad():
        module.policy.weight *= 10
        module.value.weight *= 10
    with closing(EngineEvaluator(module, planes, networks_on("reference"), width=16)) as evaluator:
        priors, values = evaluator.evaluate(planes, legal)
    with torch.no_grad():
        scores, expected = module(torch.tensor(planes))
    masked = scores.masked_fill(~torch.tensor(legal), -torch.inf).softmax(dim=1)
    assert np.abs(priors - masked.numpy()).max() < 1e-4 and np.ptp(masked.numpy()) > 0.2
    assert np.abs(values - expected.squeeze(1).tanh().numpy()).max() < 1e-4


def test_a_position_has_the_same_bits_in_every_batch():
    game, planes, legal = positions("connect-four", 9)
    with closing(EngineEvaluator(network_of(game), planes, networks_on("reference"))) as evaluator:
        priors, values = evaluator.evaluate(planes, legal)
        for index in range(len(planes)):
            own, value = evaluator.evaluate(planes[index : index + 1], legal[index : index + 1])
            np.testing.assert_array_equal(own[0], priors[index])
            assert value[0] == values[index]


def test_a_search_on_the_rtl_in_lockstep():
    game, planes, _ = positions("tic-tac-toe")
    config, module, results = SearchConfig(simulations=6, workers=2), network_of(game), []
    for backend in ("reference", "lockstep"):
        with closing(EngineEvaluator(module, planes, networks_on(backend))) as evaluator:
            game.reset(0)
            results += ReferenceSearch(game, evaluator, config).search([game.save()])
            counters = evaluator.counters()
    assert results[0].visits.tolist() == results[1].visits.tolist()
    assert results[0].totals.tolist() == results[1].totals.tolist()
    assert counters["inferences"] == results[1].evaluations == counters["lockstep_steps"]
    assert counters["lockstep_compared"] == counters["lockstep_equal"] > 0


class Outputs(nn.Module):
    """Gives what a function makes of two convolutions of the planes."""

    def __init__(self, function):
        super().__init__()
        self.one, self.other = nn.Conv2d(3, 9, 3), nn.Conv2d(3, 2, 3)
        self.function = function

    def forward(self, planes):
        return self.function(self.one(planes), self.other(planes))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda one, other: one, "must have two outputs, not 1: one"),
        (lambda one, other: (one, other), "Output 'other' must be the value, one number, not 2"),
        (lambda one, other: (torch.tanh(one), other), "cannot be part of a network of convolutions"),
    ],
)
def test_other_modules_are_refused(function, words):
    _, planes, _ = positions("tic-tac-toe")
    with pytest.raises(ValueError, match=words):
        EngineEvaluator(Outputs(function), planes, networks_on("reference"))


def test_other_games_and_backends_are_refused():
    game, planes, legal = positions("tic-tac-toe")
    with closing(EngineEvaluator(network_of(game), planes, networks_on("reference"))) as evaluator:
        with pytest.raises(ValueError, match="The network has scores of 9 actions, not 7"):
            evaluator.evaluate(planes, legal[:, :7])
    with pytest.raises(ValueError, match="Calibration must have at least one picture, not 0"):
        EngineEvaluator(network_of(game), planes[:0], networks_on("reference"))
    with pytest.raises(ValueError, match="Width must be 8 or 16, not 12"):
        EngineEvaluator(network_of(game), planes, networks_on("reference"), width=12)
    with pytest.raises(ValueError, match="Backend must be reference, rtl, lockstep, uart.*, not 'gpu'"):
        networks_on("gpu")
