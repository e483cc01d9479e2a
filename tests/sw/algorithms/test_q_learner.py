"""The gradient step against float64 by hand, and how a learner goes on."""

import copy

import numpy as np
import pytest
import torch
from torch.nn import functional

from rewardware.sw.algorithms.dqn_config import DQNConfig
from rewardware.sw.algorithms.q_learner import QLearner
from rewardware.sw.algorithms.replay_buffer import Batch

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


@pytest.mark.parametrize("loss", ["huber", "squared"])
@pytest.mark.parametrize("double_q", [False, True])
def test_errors_and_gradients_are_those_of_the_algorithm(loss, double_q):
    one, generator = learner(loss=loss, double_q=double_q, gamma=0.9, max_grad_norm=1e9), np.random.default_rng(0)
    # Far from each other, so that both networks do not choose the same actions.
    for parameter in one.target.parameters():
        parameter.data += torch.from_numpy(generator.normal(0, 0.3, parameter.shape).astype(np.float32))
    batch, weights = experiences(generator), generator.random(BATCH).astype(np.float32)
    rows = np.arange(BATCH)
    future = one.target(torch.from_numpy(batch["next_observation"])).numpy()
    chosen = (one.values(batch["next_observation"]) if double_q else future).argmax(1)
    targets = batch["reward"] + 0.9 * np.where(batch["terminated"], 0, future[rows, chosen])
    expected = one.values(batch["observation"])[rows, batch["action"]] - targets
    slopes = weights * (np.clip(expected, -1, 1) if loss == "huber" else expected) / BATCH
    errors = trained(one, batch, weights)
    assert np.allclose(errors, np.abs(expected), atol=1e-6) and errors.max() > 1 > errors.min()
    # The last layer's biases get the slopes of the values themselves.
    assert np.allclose(
        one.optimizer.gradients[-4:].numpy(), np.bincount(batch["action"], slopes, minlength=4), atol=1e-6
    )


@pytest.mark.parametrize("loss", ["huber", "squared"])
def test_steps_are_those_of_autograd(loss):
    """Errors and weights over steps in float64, with gradients cut and not cut."""
    one = learner(loss=loss, max_grad_norm=0.25)
    online, target = (copy.deepcopy(network).double() for network in (one.online, one.target))
    optimizer = torch.optim.Adam(online.requires_grad_().parameters(), one.config.learning_rate_at(0))
    generator, lengths = np.random.default_rng(3), []
    for step in range(40):
        batch, weights = experiences(generator), generator.random(BATCH).astype(np.float32) * (step % 3)
        errors = trained(one, batch, weights)
        told = {name: torch.from_numpy(values) for name, values in batch.items()}
        observations, following = told["observation"].double(), told["next_observation"].double()
        with torch.no_grad():
            best = target(following).gather(1, online(following).argmax(1, keepdim=True)).squeeze(1)
            targets = told["reward"] + 0.99 * ~told["terminated"] * best
        values = online(observations).gather(1, told["action"].unsqueeze(1)).squeeze(1)
        losses = functional.smooth_l1_loss(values, targets, reduction="none")
        if loss == "squared":
            losses = 0.5 * (values - targets).square()
        optimizer.zero_grad()
        (torch.from_numpy(weights) * losses).mean().backward()
        lengths.append(float(torch.nn.utils.clip_grad_norm_(online.parameters(), 0.25)))
        optimizer.step()
        assert np.allclose(errors, (values - targets).detach().abs().numpy(), atol=1e-5)
        for left, right in zip(one.online.parameters(), online.parameters(), strict=True):
            assert torch.allclose(left.double(), right, rtol=0, atol=1e-5)
    assert min(lengths) < 0.25 < max(lengths)


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
