"""The gradient step in NumPy, to the last bit, and how a learner goes on."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.algorithms.q_learner import QLearner
from rewardware.sw.algorithms.replay_buffer import Batch
from tests.sw.networks.perceptron_reference import AdamReference, backward, forward, layers_of

BATCH = 13


def learner(**settings):
    return QLearner(3, 4, DQNConfig(hidden_sizes=(11, 7), **settings), seed=5)


def experiences(generator):
    return {
        "observation": generator.normal(size=(BATCH, 3)).astype(np.float32),
        "action": generator.integers(4, size=BATCH),
        "reward": generator.normal(0, 2, BATCH).astype(np.float32),
        "next_observation": generator.normal(size=(BATCH, 3)).astype(np.float32),
        "terminated": generator.random(BATCH) < 0.3,
    }


def trained(one, data, weights=None, step=0):
    """Errors of a gradient step, with equal weights if there are none."""
    weights = np.ones(BATCH, np.float32) if weights is None else weights
    return one.train(one.prepare(Batch(data, np.arange(BATCH), weights)), step)


SIZES = (3, 11, 7, 4)


def vector_of(network):
    """All parameters of a network as the reference reads them."""
    return np.concatenate([part.detach().t().numpy().reshape(-1) for part in network.parameters()])


def slopes_by_autograd(values, targets, actions, weights, loss):
    """Derivative by the values of all actions of the mean loss, in binary32."""
    values = torch.from_numpy(values).requires_grad_()
    chosen = values.gather(1, torch.from_numpy(actions).unsqueeze(1)).squeeze(1)
    told = torch.from_numpy(targets)
    losses = functional.smooth_l1_loss(chosen, told, reduction="none")
    if loss == "squared":
        losses = 0.5 * (chosen - told).square()
    (torch.from_numpy(weights) * losses).mean().backward()
    return values.grad.numpy()


@pytest.mark.parametrize("loss", ["huber", "squared"])
@pytest.mark.parametrize("double_q", [False, True])
def test_steps_are_those_of_the_algorithm(loss, double_q):
    """Errors, gradients and weights, with gradients that are cut and not cut, and a learning rate that falls."""
    falling = {"learning_rate_final": 1e-5, "learning_rate_steps": 20}
    one = learner(loss=loss, double_q=double_q, gamma=0.9, max_grad_norm=0.25, **falling)
    generator, lengths, largest = np.random.default_rng(0), [], []
    # Far from each other, so that both networks do not choose the same actions.
    for parameter in one.target.parameters():
        parameter.data += torch.from_numpy(generator.normal(0, 0.3, parameter.shape).astype(np.float32))
    expected, target = vector_of(one.online), layers_of(vector_of(one.target), SIZES)
    adam, rows = AdamReference(len(expected)), np.arange(BATCH)
    for step in range(12):
        batch, weights = experiences(generator), generator.random(BATCH).astype(np.float32) * (step % 3)
        layers = layers_of(expected, SIZES)
        future = forward(target, batch["next_observation"])[-1]
        best = (forward(layers, batch["next_observation"])[-1] if double_q else future).argmax(1)
        discounted = np.float32(0.9) * future[rows, best]
        targets = batch["reward"] + np.where(batch["terminated"], np.float32(0), discounted)
        kept = forward(layers, batch["observation"])
        errors = kept[-1][rows, batch["action"]] - targets
        slopes = slopes_by_autograd(kept[-1], targets, batch["action"], weights, loss)
        gradients, _ = backward(layers, kept, slopes)
        lengths.append(float(torch.linalg.vector_norm(torch.from_numpy(gradients))))
        largest.append(abs(errors).max())
        if lengths[-1] >= 0.25:
            gradients = gradients * np.float32(0.25 / (lengths[-1] + 1e-6))
        expected = adam.advance(expected, gradients, one.config.learning_rate_at(step))
        assert np.array_equal(trained(one, batch, weights, step), np.abs(errors))
        assert np.array_equal(one.optimizer.gradients.numpy(), gradients)
        assert np.array_equal(vector_of(one.online), expected)
    assert min(lengths) < 0.25 < max(lengths) and max(largest) > 1


def test_the_target_network_moves_only_when_told():
    one, generator = learner(), np.random.default_rng(0)
    before = one.save()
    trained(one, experiences(generator))
    after = one.save()
    assert np.array_equal(before["target.0.weight"], after["target.0.weight"])
    assert not np.array_equal(before["online.0.weight"], after["online.0.weight"])
    one.update_target()
    assert np.array_equal(one.save()["target.0.weight"], after["online.0.weight"])


def test_the_first_step_of_adam_is_the_learning_rate():
    one, generator = learner(learning_rate=0.125), np.random.default_rng(0)
    before = one.save()["online.0.weight"]
    trained(one, experiences(generator))
    steps = np.abs(one.save()["online.0.weight"] - before)
    assert np.isclose(steps.max(), 0.125, rtol=1e-3)


def test_a_loaded_learner_goes_on_identically():
    one, other, generator = learner(), learner(), np.random.default_rng(0)
    for step in range(6):
        if step == 3:
            other.load(one.save())
        batch, weights = experiences(generator), generator.random(BATCH).astype(np.float32)
        errors = trained(one, batch, weights)
        if step >= 3:
            assert np.array_equal(errors, trained(other, batch, weights))
    left, right = one.save(), other.save()
    assert left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)
