"""The update as hardware computes it, against PyTorch's."""

import numpy as np
import pytest
import torch

from rewardware.hw.cores.float.config import BINARY32
from rewardware.hw.cores.learner.maac_config import CRITIC_LAYERS, POLICY_LAYERS, MAACNetworksConfig
from rewardware.sw.algorithms.maac.host_policies import HostPolicies
from rewardware.sw.algorithms.maac.maac_shape import MAACShape
from rewardware.sw.algorithms.maac.networks import choose
from rewardware.sw.algorithms.maac.parameters import initial_parameters
from rewardware.sw.algorithms.maac.reference_update import ReferenceMAACUpdate, from_matrices, to_matrices
from rewardware.sw.algorithms.maac.torch_update import TorchMAACUpdate
from rewardware.sw.reference.learner.maac import draw

from .batches import EVEN, UNEVEN, config_of, random_batch

BACKENDS = ReferenceMAACUpdate, TorchMAACUpdate
SHAPES = [EVEN, UNEVEN, MAACShape(sizes=(2,) * 5, counts=(2,) * 5, hidden_size=4, heads=1)]


def made(shape, **values):
    config = config_of(shape, **values)
    policies, critics = initial_parameters(shape, np.random.default_rng(1))
    return config, policies, critics


@pytest.mark.parametrize("shape", SHAPES)
def test_parameters_there_and_back(shape):
    for layers, parameters in zip(
        (POLICY_LAYERS, CRITIC_LAYERS), initial_parameters(shape, np.random.default_rng(2)), strict=True
    ):
        back = from_matrices(layers, to_matrices(layers, parameters), parameters)
        assert back.keys() == parameters.keys()
        assert all(back[name].tobytes() == parameters[name].tobytes() for name in parameters)


@pytest.mark.parametrize("shape", SHAPES)
def test_follows_pytorch(shape):
    """Both take the same steps; what rounding makes of them stays far below a step of Adam."""
    config, policies, critics = made(shape)
    parts = [backend(shape, config, policies, critics) for backend in BACKENDS]
    hosts = [HostPolicies(shape, config, policies) for _ in parts]
    for seed in range(4):
        batch = random_batch(shape, seed=seed)
        (forward, report), (expected, about) = (part.update(batch) for part in parts)
        assert forward.choices.tolist() == expected.choices.tolist()
        for name in ("first", "second", "logits", "values"):
            found, wanted = getattr(forward, name), getattr(expected, name)
            assert found.shape == wanted.shape and found.dtype == wanted.dtype
            # Values of absent actions are zeros, logits of theirs are anything.
            present = shape.present if name == "logits" else np.True_
            assert np.abs((found - wanted) * present).max() < 2e-5, name
        assert report == pytest.approx(about, rel=1e-4)
        for part, host, found in zip(parts, hosts, (forward, expected), strict=True):
            host.update(batch.observations, found)
            part.take_policies(host.parameters)
    ours, theirs = (part.save()[0] for part in parts)
    shared = [name for name in theirs if not name.startswith("adam.")]
    for name in shared:
        # A gradient that is nothing but rounding may go a whole step either way.
        assert np.median(np.abs(ours[name] - theirs[name])) < 1e-5, name
        assert np.abs(ours[name] - theirs[name]).max() < 0.02, name


def test_gradients_are_pytorchs():
    shape = UNEVEN
    config, policies, critics = made(shape)
    batch = random_batch(shape)
    reference, oracle = (
        ReferenceMAACUpdate(shape, config, policies, critics),
        TorchMAACUpdate(shape, config, policies, critics),
    )
    oracle.update(batch)
    found = reference.gradients(batch)
    for name, parameter in oracle.networks["critic"].items():
        wanted = parameter.grad.numpy()
        assert np.abs(found[name] - wanted).max() < 1e-5 * max(1, np.abs(wanted).max()), name
        # What an agent does not have, it does not learn.
        assert not found[name][critics[name] == 0].any() or name.endswith("bias")


@pytest.mark.parametrize("shape", [EVEN, UNEVEN])
def test_gradients_of_policies_are_pytorchs(shape):
    """From the whole policies, as the host has them from their forward pass."""
    config, policies, critics = made(shape)
    # Parameters of actions that an agent does not have also have values.
    critics = {name: values + np.float32(0.01) * (values == 0) for name, values in critics.items()}
    batch = random_batch(shape)
    reference = ReferenceMAACUpdate(shape, config, policies, critics)
    found = reference.policy_gradients(batch)
    forward, _ = reference.update(batch)
    expected, _ = HostPolicies(shape, config, policies).gradients(batch.observations, forward)
    assert found.keys() == expected.keys()
    for name, wanted in expected.items():
        assert np.abs(found[name] - wanted.numpy()).max() < 1e-6 * max(1, np.abs(wanted.numpy()).max()), name
        assert found[name].any()
    for agent, count in enumerate(shape.counts):
        for kind in ("weight", "bias"):
            assert not found[f"third.{kind}"][agent][..., count:].any()


@pytest.mark.parametrize("shape", SHAPES)
def test_updates_policies_as_the_host_does(shape):
    config, policies, critics = made(shape)
    whole, half = (
        ReferenceMAACUpdate(shape, config, policies, critics, updates_policies=updates) for updates in (True, False)
    )
    host = HostPolicies(shape, config, policies)
    for seed in range(4):
        batch = random_batch(shape, seed=seed)
        forward, report = whole.update(batch)
        assert forward is None
        forward, about = half.update(batch)
        about |= host.update(batch.observations, forward)
        half.take_policies(host.parameters)
        # Entropy is that of the actions drawn, not of all.
        logs = torch.log_softmax(torch.from_numpy(np.where(shape.present, forward.logits, -np.inf)).double(), -1)
        drawn = logs.gather(-1, torch.from_numpy(forward.choices)[..., None])
        about["entropy"] = -drawn.mean().item()
        assert report == pytest.approx(about, rel=1e-4, abs=1e-6)
    (ours, rest), (theirs, about) = whole.save_policies(), host.save()
    assert ours.keys() == theirs.keys() and rest == about == {"steps": 4}
    for (one, _), (other, _) in ((whole.save(), half.save()), ((ours, rest), (theirs, about))):
        assert one.keys() == other.keys()
        for name, values in other.items():
            # A gradient that is nothing but rounding may go a whole step either way.
            assert np.median(np.abs(one[name] - values)) < 1e-5, name
            assert np.abs(one[name] - values).max() < 0.02, name
    assert half.save_policies() is None


def test_saves_and_goes_on():
    config, policies, critics = made(UNEVEN)
    first, second = (ReferenceMAACUpdate(UNEVEN, config, policies, critics) for _ in range(2))
    first.update(random_batch(UNEVEN, seed=1))
    second.load(*first.save())
    for part in (first, second):
        part.update(random_batch(UNEVEN, seed=2))
    ours, theirs = first.save(), second.save()
    assert ours[1] == theirs[1] == {"steps": 2}
    assert all(ours[0][name].tobytes() == theirs[0][name].tobytes() for name in theirs[0])


@pytest.mark.parametrize(("one", "other"), [BACKENDS, BACKENDS[::-1]], ids=["to PyTorch", "from PyTorch"])
def test_each_goes_on_with_what_the_other_left(one, other):
    config, policies, critics = made(UNEVEN)
    first, second = one(UNEVEN, config, policies, critics), other(UNEVEN, config, policies, critics)
    first.update(random_batch(UNEVEN, seed=1))
    second.load(*first.save())
    (ours, about), (theirs, same) = first.save(), second.save()
    assert about == same == {"steps": 1}
    assert ours.keys() == theirs.keys()
    assert all(ours[name].tobytes() == theirs[name].tobytes() for name in ours)


def test_order_of_sums_is_that_of_the_units():
    """With other units the same numbers, but for rounding."""
    config, policies, critics = made(EVEN)
    networks = MAACNetworksConfig(
        agents=2, observations=4, actions=3, hidden_size=8, heads=2, policy_units=(4, 2, 3), critic_units=(3,) * 7
    )
    one, other = (ReferenceMAACUpdate(EVEN, config, policies, critics, units) for units in (None, networks))
    results = [part.update(random_batch(EVEN))[0].values for part in (one, other)]
    assert results[0].tobytes() != results[1].tobytes()
    assert np.abs(results[0] - results[1]).max() < 1e-5


def test_a_loss_that_is_not_finite_changes_nothing():
    config, policies, critics = made(EVEN)
    part = ReferenceMAACUpdate(EVEN, config, policies, critics)
    before = part.save()[0]
    batch = random_batch(EVEN)
    batch.rewards[3, 1] = np.inf
    with pytest.raises(FloatingPointError, match="^The critic's loss must be finite, not inf$"):
        part.update(batch)
    after = part.save()[0]
    assert all(after[name].tobytes() == before[name].tobytes() for name in before)


def test_draws():
    """The first sum above the number: not the one that equals it. Where no sum is, the last with a probability."""
    probabilities = np.array([[0.25, 0.25, 0.5, 0.0]] * 4 + [[0.5, 0.4999999, 0.0, 0.0]], np.float32)
    uniforms = np.array([0.0, 0.25, 0.49999997, 0.99999994, 0.99999994], np.float32)
    assert draw(BINARY32, probabilities, uniforms).tolist() == [0, 1, 1, 2, 1]
    assert choose(torch.from_numpy(probabilities), torch.from_numpy(uniforms)).tolist() == [0, 1, 1, 2, 1]


def test_an_absent_action_has_no_value_whatever_the_parameters_are():
    config, policies, critics = made(UNEVEN)
    full = {name: np.full_like(values, 0.1) for name, values in critics.items()}
    values = ReferenceMAACUpdate(UNEVEN, config, policies, full).update(random_batch(UNEVEN))[0].values
    assert ((values != 0) == UNEVEN.present).all()
