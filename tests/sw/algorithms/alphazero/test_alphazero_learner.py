"""Gradient steps of AlphaZero: against the loss written by hand in double precision, and going on."""

import numpy as np
import pytest
import torch

from rewardware.sw.algorithms.alphazero.alphazero_learner import AlphaZeroLearner
from rewardware.sw.algorithms.alphazero.position_buffer import PositionBatch

from .small import settings


def batch(count=6, seed=0, actions=9):
    generator = np.random.default_rng(seed)
    legal = generator.integers(0, 2, (count, actions)).astype(bool)
    legal[:, :2] = True
    shares = np.where(legal, generator.random((count, actions)), 0)
    # An action that was never visited, though it is legal.
    shares[:, 0] = 0
    return PositionBatch(
        planes=generator.integers(0, 2, (count, 3, 3, 3)).astype(np.float32),
        legal=legal,
        policies=(shares / shares.sum(axis=1, keepdims=True)).astype(np.float32),
        outcomes=generator.choice([-1.0, 0.0, 1.0], count).astype(np.float32),
    )


def learner(**values):
    return AlphaZeroLearner((3, 3, 3), 9, settings(**values))


def test_gradients_of_policy_and_value_are_those_written_by_hand():
    """At the outputs of the network, where the loss has a derivative that is known."""
    made, given = learner(l2=0.0), batch()
    count = len(given.outcomes)
    seen = {}

    def keep(module, inputs, outputs):
        for name, output in zip(("scores", "values"), outputs, strict=True):
            seen[name] = output.detach().double().numpy()
            output.register_hook(lambda gradient, name=name: seen.__setitem__(f"d_{name}", gradient.double().numpy()))

    made.network.register_forward_hook(keep)
    made.train(given)
    powers = np.where(given.legal, np.exp(seen["scores"]), 0)
    shares = powers / powers.sum(axis=1, keepdims=True)
    values = np.tanh(seen["values"][:, 0])
    policies, outcomes = given.policies.astype(np.float64), given.outcomes.astype(np.float64)
    np.testing.assert_allclose(seen["d_scores"], (shares - policies) / count, atol=1e-7)
    np.testing.assert_allclose(seen["d_values"][:, 0], 2 * (values - outcomes) * (1 - values**2) / count, atol=1e-7)
    assert (seen["d_scores"][~given.legal] == 0).all()
    told = made.statistics()
    logarithms = np.log(np.where(given.legal, shares, 1))
    assert told["policy_loss"] == pytest.approx(-(policies * logarithms).sum(axis=1).mean(), rel=1e-5)
    assert told["value_loss"] == pytest.approx(((outcomes - values) ** 2).mean(), rel=1e-5)
    assert told["entropy"] == pytest.approx(-(shares * logarithms).sum(axis=1).mean(), rel=1e-5)
    assert told["loss"] == pytest.approx(told["policy_loss"] + told["value_loss"])


def test_parameters_are_drawn_to_zero_by_the_gradient_of_their_squares():
    """Adam's first step is the learning rate times the sign of the gradient, which c * theta**2 decides alone here."""
    made, given = learner(l2=0.5, learning_rate=0.01), batch()
    before = {name: value.detach().clone() for name, value in made.network.named_parameters()}
    expected = {}
    scores, values = made.network.double()(torch.tensor(given.planes).double())
    masked = scores.masked_fill(~torch.tensor(given.legal), -torch.inf)
    shares = masked.log_softmax(1).masked_fill(~torch.tensor(given.legal), 0)
    loss = ((torch.tensor(given.outcomes) - values[:, 0].tanh()) ** 2).mean()
    loss = loss - (torch.tensor(given.policies) * shares).sum(1).mean()
    loss = loss + 0.5 * sum((value**2).sum() for value in made.network.parameters())
    for name, gradient in zip(before, torch.autograd.grad(loss, list(made.network.parameters())), strict=True):
        expected[name] = before[name] - 0.01 * gradient / (gradient.abs() + 1e-8)
    made.network.float()
    made.train(given)
    for name, value in made.network.named_parameters():
        np.testing.assert_allclose(value.detach(), expected[name], atol=2e-5, err_msg=name)


def test_a_batch_is_learned_and_training_goes_on_with_the_same_bits():
    made, other = learner(learning_rate=0.01), learner(learning_rate=0.01, seed=3)
    assert made.statistics() is None
    made.train(batch())
    first = made.statistics()["loss"]
    for _ in range(20):
        made.train(batch())
    other.restore(*made.state())
    assert other.steps == 21 and other.statistics() == made.statistics()
    for each in (made, other):
        for _ in range(200):
            each.train(batch())
    one, two = (each.state() for each in (made, other))
    assert all((one[0][name] == two[0][name]).all() for name in one[0]) and one[1] == two[1]
    # Values are known, and of the policy's loss the entropy of what is wanted remains.
    policies = batch().policies
    least = -(policies * np.log(np.where(policies > 0, policies, 1))).sum(axis=1).mean()
    assert first > least + 1 and made.statistics()["loss"] < least + 0.1


def test_training_that_diverges_is_told():
    made = learner()
    with torch.no_grad():
        made.network.value.bias.fill_(torch.nan)
    with pytest.raises(FloatingPointError, match="Training has diverged: the loss is nan"):
        made.train(batch())
