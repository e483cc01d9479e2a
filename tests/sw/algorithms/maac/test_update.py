"""An update in its parts against one pass of autograd over everything, and what absent actions and padding do."""

import dataclasses

import numpy as np
import pytest
import torch

from rewardware.sw.algorithms.maac.host_policies import HostPolicies
from rewardware.sw.algorithms.maac.maac_shape import MAACShape
from rewardware.sw.algorithms.maac.networks import choose
from rewardware.sw.algorithms.maac.parameters import critic_shapes, initial_parameters, policy_shapes
from rewardware.sw.algorithms.maac.torch_update import TorchMAACUpdate

from .batches import EVEN, UNEVEN, config_of, random_batch
from .oracle import Oracle, drawn_with

SHARED = ("embedding", "key", "query", "value")


def made(shape, **values):
    """Backend and host with networks that have gone apart from their targets."""
    config = config_of(shape, **values)
    policies, critics = initial_parameters(shape, np.random.default_rng(1))
    backend, host = TorchMAACUpdate(shape, config, policies, critics), HostPolicies(shape, config, policies)
    for seed in (10, 11, 12):
        step(backend, host, random_batch(shape, seed=seed))
    return config, backend, host


def step(backend, host, batch):
    forward, report = backend.update(batch)
    report |= host.update(batch.observations, forward)
    backend.take_policies(host.parameters)
    return forward, report


def parameters_of(arrays):
    return {name: values for name, values in arrays.items() if not name.startswith("adam.")}


def adam(value, gradient, mean, square, steps, rate):
    mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
    return value - rate * (mean / (1 - 0.9**steps)) / (np.sqrt(square / (1 - 0.999**steps)) + 1e-8)


@pytest.mark.parametrize("shape", [EVEN, UNEVEN, MAACShape(sizes=(2,) * 5, counts=(2,) * 5, hidden_size=4, heads=1)])
def test_the_parts_have_the_gradients_of_one_pass(shape):
    config, backend, host = made(shape)
    before, batch = backend.save()[0], random_batch(shape)
    oracle = Oracle(shape, parameters_of(before))
    critic_loss, policy_loss = oracle.losses(batch, config)
    names = [name for name in oracle.leaves if name.startswith("critic.")]
    expected = dict(zip(names, torch.autograd.grad(critic_loss, [oracle.leaves[n] for n in names]), strict=True))
    policy_names = [name for name in oracle.leaves if name.startswith("policy.")]
    leaves = [oracle.leaves[name] for name in policy_names]
    expected |= dict(zip(policy_names, torch.autograd.grad(policy_loss, leaves), strict=True))

    forward, report = backend.update(batch)
    gradients, more = host.gradients(batch.observations, forward)
    assert report["critic_loss"] == pytest.approx(critic_loss.item(), rel=1e-5)
    # Means over agents, where the other is a sum.
    assert more["policy_loss"] * shape.agents == pytest.approx(policy_loss.item(), rel=1e-4, abs=1e-6)
    for name, gradient in expected.items():
        network, _, parameter = name.partition(".")
        if network == "policy":
            found = gradients[parameter]
        else:
            found = backend.networks["critic"][parameter].grad
            if parameter.partition(".")[0] in SHARED:
                gradient = gradient / shape.agents
        size = gradient.abs().max().item()
        torch.testing.assert_close(found, gradient, rtol=1e-4, atol=1e-5 * size + 1e-9, msg=name)
        # The attention has nothing to choose with a single other agent.
        indifferent = shape.agents == 2 and parameter in ("key.weight", "query.weight")
        assert gradient.any() != indifferent, name


def test_adam_and_soft_targets_follow():
    config, backend, host = made(UNEVEN)
    before = backend.save()[0]
    forward, _ = step(backend, host, random_batch(UNEVEN))
    after = backend.save()[0]
    for name in critic_shapes(UNEVEN):
        gradient = backend.networks["critic"][name].grad.numpy()
        moments = before[f"adam.mean.{name}"], before[f"adam.mean_square.{name}"]
        expected = adam(before[f"critic.{name}"], gradient, *moments, 4, config.critic_learning_rate)
        np.testing.assert_allclose(after[f"critic.{name}"], expected, rtol=1e-4, atol=1e-7)
    for network, names in (("critic", critic_shapes(UNEVEN)), ("policy", policy_shapes(UNEVEN))):
        for name in names:
            old, leader = before[f"target_{network}.{name}"], after[f"{network}.{name}"]
            np.testing.assert_allclose(after[f"target_{network}.{name}"], old + 0.1 * (leader - old), atol=1e-7)
            assert np.array_equal(host.parameters[name], leader) if network == "policy" else True


def test_policies_learn_from_the_critics_of_before():
    """The values of an update do not depend on what that update's rewards make of the critics."""
    batch = random_batch(EVEN)
    other = dataclasses.replace(batch, rewards=batch.rewards + 100)
    found = []
    for rows in (batch, other):
        _, backend, _ = made(EVEN)
        before = backend.save()[0]
        forward, _ = backend.update(rows)
        found.append(forward)
        assert not np.array_equal(backend.save()[0]["critic.output.bias"], before["critic.output.bias"])
    for name in ("first", "second", "logits", "choices", "values"):
        assert np.array_equal(getattr(found[0], name), getattr(found[1], name))
    values = Oracle(EVEN, parameters_of(before)).values(
        "critic",
        [torch.from_numpy(batch.observations[:, agent]) for agent in range(2)],
        [torch.from_numpy(found[0].choices[:, agent]) for agent in range(2)],
    )
    np.testing.assert_allclose(found[0].values, torch.stack(values, 1).detach().numpy(), rtol=1e-5, atol=1e-6)


def test_absent_actions_are_never_drawn_and_have_no_value():
    _, backend, host = made(UNEVEN)
    batch = random_batch(UNEVEN, rows=400)
    forward, _ = step(backend, host, batch)
    for agent, count in enumerate(UNEVEN.counts):
        assert set(forward.choices[:, agent]) == set(range(count))
        assert not forward.values[:, agent, count:].any() and forward.values[:, agent, :count].all()
        gradients, _ = host.gradients(batch.observations, forward)
        for name in ("third.weight", "third.bias"):
            assert not gradients[name][agent, ..., count:].any() and gradients[name][agent, ..., :count].any()
    # Whatever the critics' parameters say of them.
    with torch.no_grad():
        backend.networks["critic"]["output.bias"].fill_(7)
    forward, _ = backend.update(batch)
    assert not forward.values[:, 1, 2:].any() and forward.values[:, 1, :2].all()
    greedy = host.act_greedily(batch.observations)
    drawn = host.act(batch.observations, np.full((400, 3), np.nextafter(np.float32(1), np.float32(0))))
    assert (greedy < UNEVEN.counts).all() and (drawn < UNEVEN.counts).all()


def test_what_an_agent_does_not_have_stays_zero():
    _, backend, _ = made(UNEVEN)
    networks = backend.networks
    for agent, (size, count) in enumerate(zip(UNEVEN.sizes, UNEVEN.counts, strict=True)):
        for kind in ("", "target_"):
            policy, critic = networks[f"{kind}policy"], networks[f"{kind}critic"]
            assert not policy["first.weight"][agent, size:].any() and policy["first.weight"][agent, :size].all()
            assert not policy["third.weight"][agent, :, count:].any() and not policy["third.bias"][agent, count:].any()
            assert not critic["state.weight"][agent, size:].any()
            embedding = critic["embedding.weight"][agent]
            assert not embedding[size : UNEVEN.observation_size].any()
            assert not embedding[UNEVEN.observation_size + count :].any()
            assert not critic["output.weight"][agent, :, count:].any()


def test_an_agent_that_observes_nothing_learns():
    config, backend, host = made(UNEVEN)
    batch = random_batch(UNEVEN)
    batch.observations[:, 1] = batch.next_observations[:, 1] = 0
    before = {name: values.copy() for name, values in host.parameters.items()}
    forward, report = step(backend, host, batch)
    assert all(np.isfinite(value) for value in report.values())
    assert np.array_equal(forward.logits[:, 1], np.broadcast_to(forward.logits[0, 1], (16, 4)))
    gradients, _ = host.gradients(batch.observations, forward)
    assert not gradients["first.weight"][1].any() and gradients["first.bias"][1].any()
    assert not np.array_equal(before["third.bias"][1], host.parameters["third.bias"][1])


def test_a_loss_that_is_not_finite_updates_nothing():
    _, backend, _ = made(EVEN)
    before = backend.save()[0]
    batch = random_batch(EVEN)
    batch.rewards[3, 1] = np.inf
    with pytest.raises(FloatingPointError, match="The critic's loss must be finite, not inf"):
        backend.update(batch)
    assert all(np.array_equal(values, before[name]) for name, values in backend.save()[0].items())


def test_choices_are_the_first_that_exceed():
    generator = np.random.default_rng(0)
    probabilities = generator.dirichlet(np.ones(5), 300).astype(np.float32)
    probabilities[::3, 3:] = 0
    uniforms = generator.random(300, np.float32)
    found = choose(torch.from_numpy(probabilities), torch.from_numpy(uniforms))
    assert found.tolist() == [drawn_with(*row) for row in zip(probabilities, uniforms, strict=True)]
    exact = torch.tensor([[0.25, 0.0, 0.5, 0.25, 0.0]])
    for uniform, action in ((0.0, 0), (0.25, 2), (0.74, 2), (0.75, 3), (0.999, 3)):
        assert choose(exact, torch.tensor([uniform])).item() == action
    # Sums that rounding leaves below the number.
    assert choose(torch.tensor([[0.5, 0.25, 0.0]]), torch.tensor([0.9])).item() == 1
    shares = np.bincount(choose(exact.expand(20_000, 5), torch.from_numpy(generator.random(20_000, np.float32))))
    assert shares / 20_000 == pytest.approx([0.25, 0, 0.5, 0.25], abs=0.015)
