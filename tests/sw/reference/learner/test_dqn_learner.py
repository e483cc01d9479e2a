"""Whole gradient steps against PyTorch in double precision."""

import copy
import dataclasses

import numpy as np
import pytest
import torch

from rewardware.hw.cores.float.config import BFLOAT16, FloatLaneConfig
from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.learner.learner_config import DQNLearnerConfig
from rewardware.sw.reference.learner.dqn_learner import DQNLearnerReference
from rewardware.sw.reference.optimizer.float_adam import AdamRates

from .oracle import as_torch, joined, perceptron
from .stimulus import random_batch, random_weights

SIZES = (4, 24, 17, 3)


class Oracle:
    """The same learner in PyTorch."""

    def __init__(self, weights, huber, hidden=torch.nn.ReLU):
        self.network, self.huber = perceptron(weights, hidden), huber
        self.target = copy.deepcopy(self.network)

    def backward(self, batch):
        """TD errors; gradients are left in the parameters."""
        rows = torch.arange(len(batch.actions))
        chosen = self.network(as_torch(batch.observations))[rows, torch.tensor(batch.actions)]
        best = self.target(as_torch(batch.next_observations)).max(dim=1).values.detach()
        target = as_torch(batch.rewards) + as_torch(batch.discounts) * best
        each = torch.nn.functional.huber_loss(chosen, target, reduction="none")
        if not self.huber:
            each = (chosen - target) ** 2 / 2
        self.network.zero_grad()
        (as_torch(batch.weights) * each).sum().backward()
        return (chosen - target).detach().numpy()


@pytest.mark.parametrize("loss", ["huber", "squared"])
@pytest.mark.parametrize("units", [(24, 17, 3), (5, 6, 2), (1, 1, 1)])
def test_gradients_are_autograds(loss, units):
    rng = np.random.default_rng(1)
    weights, batch = random_weights(rng, SIZES), random_batch(rng, SIZES, 32)
    config = DQNLearnerConfig(network=NetworkConfig(sizes=SIZES, units=units), loss=loss)
    oracle = Oracle(weights, huber=loss == "huber")
    errors = oracle.backward(batch)
    gradients, found = DQNLearnerReference(config, weights).gradients(batch)
    # Single precision has 24 bits; sums of dozens of terms of about one in three layers, rounded each.
    assert np.abs(found.priorities - np.abs(errors)).max() < 2e-5
    for got, expected in zip(gradients, joined(oracle.network, "grad"), strict=True):
        assert np.abs(got - expected).max() < 2e-5 * max(1, np.abs(expected).max())


def test_gradients_behind_tanh():
    rng = np.random.default_rng(4)
    weights, batch = random_weights(rng, SIZES), random_batch(rng, SIZES, 32)
    network = NetworkConfig(sizes=SIZES, units=(5, 6, 2), hidden_activation="tanh")
    oracle = Oracle(weights, huber=True, hidden=torch.nn.Tanh)
    oracle.backward(batch)
    gradients, _ = DQNLearnerReference(DQNLearnerConfig(network=network), weights).gradients(batch)
    for got, expected in zip(gradients, joined(oracle.network, "grad"), strict=True):
        assert np.abs(got - expected).max() < 2e-5 * max(1, np.abs(expected).max())


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_steps_are_pytorchs(optimizer):
    rng = np.random.default_rng(2)
    weights = random_weights(rng, SIZES)
    config = DQNLearnerConfig(network=NetworkConfig(sizes=SIZES, units=(5, 6, 2)), optimizer=optimizer)
    learner, oracle = DQNLearnerReference(config, weights), Oracle(weights, huber=True)
    kind = torch.optim.Adam if optimizer == "adam" else torch.optim.SGD
    # An epsilon at which a tiny gradient's rounding does not show.
    steps = kind(oracle.network.parameters(), lr=1e-3, **({"eps": 1e-4} if optimizer == "adam" else {}))
    for step in range(1, 31):
        batch = random_batch(rng, SIZES, 16)
        oracle.backward(batch)
        steps.step()
        learner.step(batch, AdamRates.of_step(step, learning_rate=1e-3, epsilon=1e-4) if optimizer == "adam" else 1e-3)
        if step == 15:
            learner.copy_to_target()
            oracle.target = copy.deepcopy(oracle.network)
    moved = max(np.abs(got - begin).max() for got, begin in zip(learner.weights, weights, strict=True))
    assert moved > 1e-3
    for got, expected in zip(learner.weights, joined(oracle.network, "data"), strict=True):
        assert np.abs(got - expected).max() < 1e-2 * moved


def test_another_format():
    """In bfloat16 the gradients point where those of PyTorch do."""
    rng = np.random.default_rng(3)
    weights, batch = random_weights(rng, SIZES), random_batch(rng, SIZES, 32)
    arithmetic = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=2, multiplier_depth=2)
    network = NetworkConfig(sizes=SIZES, units=(5, 6, 2), arithmetic=arithmetic)
    oracle = Oracle(weights, huber=True)
    oracle.backward(batch)
    gradients, _ = DQNLearnerReference(DQNLearnerConfig(network=network), weights).gradients(batch)
    for got, expected in zip(gradients, joined(oracle.network, "grad"), strict=True):
        cosine = (got * expected).sum() / np.linalg.norm(got) / np.linalg.norm(expected)
        assert cosine > 0.99


def test_bad_weights():
    config = DQNLearnerConfig(network=NetworkConfig(sizes=(4, 2), units=(1,)))
    with pytest.raises(ValueError, match=r"^Weights must have the shapes \[\(5, 2\)\], not \[\(4, 2\)\]$"):
        DQNLearnerReference(config, [np.zeros((4, 2))])


def test_batch_without_weights():
    config = DQNLearnerConfig(network=NetworkConfig(sizes=SIZES, units=(5, 6, 2)), optimizer="sgd")
    learner = DQNLearnerReference(config, random_weights(np.random.default_rng(1), SIZES))
    batch = dataclasses.replace(random_batch(np.random.default_rng(2), SIZES, 3), weights=None)
    with pytest.raises(ValueError, match="`weights` must be an array, not None"):
        learner.step(batch, 0.1)


@pytest.mark.parametrize(
    ("optimizer", "rates", "words"),
    [("adam", 1e-3, "adam, not 0.001"), ("sgd", AdamRates.of_step(1), "sgd, not AdamRates")],
)
def test_rates_of_the_other_optimizer(optimizer, rates, words):
    rng = np.random.default_rng(5)
    network = NetworkConfig(sizes=SIZES, units=(5, 6, 2))
    weights = random_weights(rng, SIZES)
    learner = DQNLearnerReference(DQNLearnerConfig(network=network, optimizer=optimizer), weights)
    before = [matrix.copy() for matrix in learner.weights]
    with pytest.raises(TypeError, match=f"^Rates must be those of {words}"):
        learner.step(random_batch(rng, SIZES, 4), rates)
    assert all((one == other).all() for one, other in zip(learner.weights, before, strict=True))
