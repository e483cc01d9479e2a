"""Gradients of a rollout against PyTorch's autograd in float64, on the loss that docs/a3c.md states."""

import numpy as np
import pytest
import torch

from rewardware.sw.reference.a3c import network
from rewardware.sw.reference.a3c.agents import AgentsReference
from tests.sw.reference.a3c.rollouts import RATES, drawn_parameters, small


def oracle(parameters, observations, actions, rewards, behind):
    """Gradients of the loss, and returns."""
    tensors = [[torch.tensor(part, dtype=torch.float64, requires_grad=True) for part in layer] for layer in parameters]

    def forward(rows):
        for number, (weights, biases) in enumerate(tensors):
            rows = (torch.relu(rows) if number else rows) @ weights.T + biases
        return torch.log_softmax(rows[:, :-1], -1), rows[:, -1]

    logs, values = forward(torch.tensor(np.array(observations), dtype=torch.float64))
    following, returns = 0.0, []
    if behind is not None:
        following = forward(torch.tensor(behind, dtype=torch.float64)[None])[1][0].item()
    for reward in reversed(rewards):
        following = float(reward) + RATES.discount * following
        returns.insert(0, following)
    advantages = torch.tensor(returns, dtype=torch.float64) - values
    taken = logs[torch.arange(len(actions)), actions]
    entropies = -(logs.exp() * logs).sum(-1)
    loss = -taken * advantages.detach() - RATES.entropy * entropies - RATES.value_slope / 2 * advantages**2
    loss.sum().backward()
    return [[part.grad.numpy() for part in layer] for layer in tensors], returns


@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("steps", [1, 4])
def test_gradients_of_the_loss(steps, behind, monkeypatch):
    generator, config = np.random.default_rng(steps), small()
    parameters = drawn_parameters(config, generator)
    agents = AgentsReference(config, parameters)
    observations = generator.normal(0, 1, (steps + 1, 5)).astype(np.float32)
    actions = generator.integers(0, 3, steps).tolist()
    rewards = generator.normal(0, 1, steps).astype(np.float32)
    for observation, action, reward in zip(observations, actions, rewards, strict=False):
        agents.observe(1, observation)
        agents.act(1, action, reward)
    if behind:
        agents.observe(1, observations[-1])
    kept = []
    monkeypatch.setattr(AgentsReference, "_update", lambda self, found, rates: kept.append(found))
    found = agents.train(1, RATES)
    expected, returns = oracle(parameters, observations[:-1], actions, rewards, observations[-1] if behind else None)
    np.testing.assert_allclose(found.returns, returns, rtol=1e-5, atol=1e-6)
    for layer, wanted in zip(kept[0], expected, strict=True):
        for one, other in zip(layer, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_one_behind_the_rollout_is_the_last(monkeypatch):
    config = small(steps=1)
    agents = AgentsReference(config, drawn_parameters(config, np.random.default_rng(0)))
    for _ in range(2):
        agents.observe(0, np.zeros(5, np.float32))
    with pytest.raises(ValueError, match="Agent 0 must be trained: it has 2 observations already"):
        agents.observe(0, np.zeros(5, np.float32))
    agents.forget(0)
    found = agents.observe(0, np.zeros(5, np.float32))
    assert isinstance(found, network.Inference)
