"""Whole gradient steps of DDPG against PyTorch in double precision."""

import copy

import numpy as np
import pytest
import torch

from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.learner.learner_config import DDPGLearnerConfig
from rewardware.sw.reference.learner.ddpg_learner import DDPGLearnerReference
from rewardware.sw.reference.optimizer.float_adam import AdamRates

from .oracle import as_torch, joined, perceptron
from .stimulus import random_ddpg_batch, random_weights

ACTOR, CRITIC, TAU = (5, 14, 9, 2), (7, 12, 11, 1), 0.1


def make_config(**settings):
    actor = NetworkConfig(sizes=ACTOR, units=(4, 9, 1), output_activation="tanh")
    return DDPGLearnerConfig(actor=actor, critic=NetworkConfig(sizes=CRITIC, units=(5, 4, 1)), **settings)


class Oracle:
    """The same learner in PyTorch."""

    def __init__(self, actor, critic, huber):
        self.huber = huber
        self.actor, self.critic = perceptron(actor, output=torch.nn.Tanh), perceptron(critic)
        self.targets = copy.deepcopy((self.actor, self.critic))

    def backward(self, batch):
        """TD errors; gradients are left in the parameters."""
        observations, following = as_torch(batch.observations), as_torch(batch.next_observations)
        with torch.no_grad():
            actor, critic = self.targets
            next_values = critic(torch.cat([following, actor(following)], 1))[:, 0]
            target = as_torch(batch.rewards) + as_torch(batch.discounts) * next_values
        self.actor.zero_grad()
        (-self.critic(torch.cat([observations, self.actor(observations)], 1)).mean()).backward()
        # Gradients that the actor's loss left in the critic do not count.
        self.critic.zero_grad()
        values = self.critic(torch.cat([observations, as_torch(batch.actions)], 1))[:, 0]
        each = torch.nn.functional.huber_loss(values, target, reduction="none")
        if not self.huber:
            each = (values - target) ** 2 / 2
        (as_torch(batch.weights) * each).sum().backward()
        return (values - target).detach().numpy()

    def follow(self):
        """Targets move towards the networks."""
        with torch.no_grad():
            for target, network in zip(self.targets, (self.actor, self.critic), strict=True):
                for old, new in zip(target.parameters(), network.parameters(), strict=True):
                    old += TAU * (new - old)


@pytest.mark.parametrize("loss", ["huber", "squared"])
def test_gradients_are_autograds(loss):
    rng = np.random.default_rng(1)
    actor, critic, batch = random_weights(rng, ACTOR), random_weights(rng, CRITIC), random_ddpg_batch(rng, ACTOR, 32)
    oracle = Oracle(actor, critic, huber=loss == "huber")
    errors = oracle.backward(batch)
    gradients = DDPGLearnerReference(make_config(loss=loss), actor, critic).gradients(batch)
    # Single precision has 24 bits; sums of dozens of terms of about one in six layers, rounded each.
    assert np.abs(gradients.loss.priorities - np.abs(errors)).max() < 2e-5
    for name in ("actor", "critic"):
        matrices = joined(getattr(oracle, name), "grad")
        assert max(np.abs(matrix).max() for matrix in matrices) > 1e-3
        for got, expected in zip(getattr(gradients, name), matrices, strict=True):
            assert np.abs(got - expected).max() < 2e-5 * max(1, np.abs(expected).max())


def test_steps_are_pytorchs():
    rng = np.random.default_rng(2)
    weights = random_weights(rng, ACTOR), random_weights(rng, CRITIC)
    learner, oracle = DDPGLearnerReference(make_config(), *weights), Oracle(*weights, huber=False)
    # An epsilon at which a tiny gradient's rounding does not show.
    steps = [torch.optim.Adam(network.parameters(), lr=1e-3, eps=1e-4) for network in (oracle.actor, oracle.critic)]
    for step in range(1, 21):
        batch = random_ddpg_batch(rng, ACTOR, 16)
        oracle.backward(batch)
        for optimizer in steps:
            optimizer.step()
        oracle.follow()
        rates = AdamRates.of_step(step, learning_rate=1e-3, epsilon=1e-4)
        learner.step(batch, rates, rates, TAU)
    found = (learner.actor.weights, learner.critic.weights, learner.actor_target, learner.critic_target)
    for begin, got, network in zip(weights * 2, found, (oracle.actor, oracle.critic, *oracle.targets), strict=True):
        moved = max(np.abs(matrix - old).max() for matrix, old in zip(got, begin, strict=True))
        assert moved > 1e-3
        for matrix, expected in zip(got, joined(network, "data"), strict=True):
            assert np.abs(matrix - expected).max() < 1e-2 * moved
