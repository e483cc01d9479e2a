"""Whole gradient steps of soft actor-critic against PyTorch in double precision."""

import copy

import numpy as np
import pytest
import torch

from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.learner.sac_learner_config import SACLearnerConfig
from rewardware.sw.reference.learner.sac_learner import SACLearnerReference
from rewardware.sw.reference.optimizer.float_adam import AdamRates

from .oracle import as_torch, joined, perceptron
from .stimulus import random_sac_batch, random_weights
from .test_squashed_gaussian import oracle as draw

ACTOR, CRITIC, TAU, ENTROPY = (5, 14, 9, 4), (7, 12, 11, 1), 0.1, -1.5
NETWORKS = ("actor", "critic_1", "critic_2")


def make_config(**settings):
    actor, critic = NetworkConfig(sizes=ACTOR, units=(4, 9, 1)), NetworkConfig(sizes=CRITIC, units=(5, 4, 1))
    return SACLearnerConfig(actor=actor, critic=critic, **settings)


def make_weights(rng):
    return *(random_weights(rng, sizes) for sizes in (ACTOR, CRITIC, CRITIC)), [np.float32([[-0.7]])]


class Oracle:
    """The same learner in PyTorch."""

    def __init__(self, actor, critic_1, critic_2, temperature, huber):
        self.huber = huber
        self.networks = [perceptron(weights) for weights in (actor, critic_1, critic_2)]
        self.targets = copy.deepcopy(self.networks[1:])
        self.logarithm = as_torch(temperature[0][0]).requires_grad_()

    def backward(self, batch):
        """Mean magnitudes of the TD errors; gradients are left in the parameters."""
        actor, *critics = self.networks
        observations, following = as_torch(batch.observations), as_torch(batch.next_observations)
        temperature = self.logarithm.exp().detach()
        with torch.no_grad():
            actions, log_densities = draw(actor(following), as_torch(batch.next_noises))
            pairs = torch.cat([following, actions], 1)
            least = torch.minimum(*(target(pairs)[:, 0] for target in self.targets))
            target = as_torch(batch.rewards) + as_torch(batch.discounts) * (least - temperature * log_densities)
        for parameter in self.parameters():
            parameter.grad = None
        actions, log_densities = draw(actor(observations), as_torch(batch.noises))
        least = torch.minimum(*(critic(torch.cat([observations, actions], 1))[:, 0] for critic in critics))
        (temperature * log_densities - least).mean().backward()
        # Gradients that the actor's loss left in the critics do not count.
        for critic in critics:
            critic.zero_grad()
        (-(self.logarithm * (log_densities.detach() + ENTROPY)).mean()).backward()
        pairs, magnitudes = torch.cat([observations, as_torch(batch.actions)], 1), []
        for critic in critics:
            values = critic(pairs)[:, 0]
            each = torch.nn.functional.huber_loss(values, target, reduction="none")
            if not self.huber:
                each = (values - target) ** 2 / 2
            (as_torch(batch.weights) * each).sum().backward()
            magnitudes.append((values - target).abs().detach().numpy())
        return np.mean(magnitudes, axis=0)

    def parameters(self):
        """Parameters of all networks, and the temperature's logarithm."""
        return [*(parameter for network in self.networks for parameter in network.parameters()), self.logarithm]

    def follow(self):
        """Targets move towards the critics."""
        with torch.no_grad():
            for target, network in zip(self.targets, self.networks[1:], strict=True):
                for old, new in zip(target.parameters(), network.parameters(), strict=True):
                    old += TAU * (new - old)


@pytest.mark.parametrize("loss", ["huber", "squared"])
def test_gradients_are_autograds(loss):
    rng = np.random.default_rng(1)
    weights, batch = make_weights(rng), random_sac_batch(rng, ACTOR, 32)
    oracle = Oracle(*weights, huber=loss == "huber")
    errors = oracle.backward(batch)
    gradients = SACLearnerReference(make_config(loss=loss), *weights).gradients(batch, ENTROPY)
    # Single precision has 24 bits; sums of dozens of terms of about one in six layers, rounded each.
    assert np.abs(gradients.loss.priorities - errors).max() < 2e-5
    for name, network in zip(NETWORKS, oracle.networks, strict=True):
        matrices = joined(network, "grad")
        assert max(np.abs(matrix).max() for matrix in matrices) > 1e-3
        for got, expected in zip(getattr(gradients, name), matrices, strict=True):
            assert np.abs(got - expected).max() < 2e-5 * max(1, np.abs(expected).max())
    assert np.abs(gradients.temperature[0] - oracle.logarithm.grad.numpy()).max() < 2e-6 < abs(oracle.logarithm.grad[0])


def test_steps_are_pytorchs():
    rng = np.random.default_rng(2)
    weights = make_weights(rng)
    learner, oracle = SACLearnerReference(make_config(), *weights), Oracle(*weights, huber=False)
    # An epsilon at which a tiny gradient's rounding does not show.
    optimizer = torch.optim.Adam(oracle.parameters(), lr=1e-3, eps=1e-4)
    for step in range(1, 21):
        batch = random_sac_batch(rng, ACTOR, 16)
        oracle.backward(batch)
        optimizer.step()
        oracle.follow()
        rates = AdamRates.of_step(step, learning_rate=1e-3, epsilon=1e-4)
        learner.step(batch, [rates] * 4, TAU, ENTROPY)
    found = [getattr(learner, name).weights for name in NETWORKS]
    found += [learner.critic_1_target, learner.critic_2_target]
    begins = (*weights[:3], *weights[1:3])
    for begin, got, network in zip(begins, found, (*oracle.networks, *oracle.targets), strict=True):
        moved = max(np.abs(matrix - old).max() for matrix, old in zip(got, begin, strict=True))
        assert moved > 1e-3
        for matrix, expected in zip(got, joined(network, "data"), strict=True):
            assert np.abs(matrix - expected).max() < 1e-2 * moved
    logarithm = learner.temperature.weights[0][0, 0]
    moved = abs(logarithm - weights[3][0][0, 0])
    assert moved > 1e-3 and abs(logarithm - oracle.logarithm.item()) < 1e-2 * moved
