"""Steps of Adam on one vector against their reference by equality, and its states."""

import numpy as np
import pytest
import torch

from rewardware.sw.networks.adam import Adam
from rewardware.sw.networks.torch_networks import ModuleStateError, load_modules, save_modules

from .perceptron_reference import AdamReference

COUNT = 37 * 23 + 5


def parameters(count=COUNT):
    return torch.from_numpy(np.random.default_rng(0).normal(size=count).astype(np.float32))


def gradients(step, count=COUNT):
    return torch.from_numpy(np.random.default_rng(step + 1).normal(size=count).astype(np.float32))


# The second vector is shared among threads, in pieces of which the last is shorter.
@pytest.mark.parametrize(("count", "steps"), [(COUNT, 12), ((1 << 15) + 4101, 2)])
def test_steps_are_those_of_the_reference(count, steps):
    """With a rate that changes, and gradients that are 0, tiny and large."""
    found = parameters(count)
    one, reference, expected = Adam(found, 1e-2), AdamReference(count), found.numpy().copy()
    for step in range(steps):
        given = gradients(step, count)
        given[step::7] *= 10.0 ** (10 * (step % 3) - 15)
        given[:5] = 0
        one.gradients.copy_(given)
        one.learning_rate = 1e-2 / (step + 1)
        one.advance()
        expected = reference.advance(expected, given.numpy(), one.learning_rate)
        assert np.array_equal(found.numpy(), expected)
        state = one.state_dict()
        assert np.array_equal(state["first_moments"].numpy(), reference.first)
        assert np.array_equal(state["second_moments"].numpy(), reference.second)
        assert torch.equal(one.gradients, given)


# From 0.9 of the limit on the length is computed exactly.
@pytest.mark.parametrize("length", [5.6, 5.5, 5.1, 5, 2.5, 1e-3, float("inf")])
def test_gradients_are_cut_to_a_length(length):
    """Some of length 5, and the 1e-6 more that ``clip_grad_norm_`` adds."""
    optimizer, given = Adam(torch.zeros(4)), np.array([3, 0, 0, -4], np.float32)
    optimizer.gradients.copy_(torch.from_numpy(given))
    optimizer.clip(length)
    expected = given * np.float32(length / (5 + 1e-6)) if length <= 5 else given
    assert np.array_equal(optimizer.gradients.numpy(), expected)
    own = torch.zeros(4, dtype=torch.float64, requires_grad=True)
    own.grad = torch.from_numpy(given).double()
    torch.nn.utils.clip_grad_norm_([own], length)
    # PyTorch's factor, which it has in the numbers' own precision, rounded to binary32.
    factor = np.float32((own.grad[0] / given[0]).item())
    assert np.array_equal(optimizer.gradients.numpy(), given * factor)


def test_gradients_of_no_length_are_no_numbers():
    """Clipping is as by ``clip_grad_norm_``: a gradient that is no number stays one."""
    optimizer = Adam(torch.zeros(2))
    optimizer.gradients.copy_(torch.tensor([1, torch.nan]))
    optimizer.clip(10)
    assert optimizer.gradients.isnan().all()


def test_a_loaded_one_goes_on_identically():
    one, other = parameters(), parameters()
    first, second = Adam(one), Adam(other)
    for step in range(8):
        first.gradients.copy_(gradients(step))
        first.advance()
        if step == 3:
            # It has its own moments by then, which are of no use.
            second.gradients.copy_(gradients(9))
            second.advance()
            load_modules({"optimizer": second}, save_modules({"optimizer": first}))
            other.copy_(one)
        if step > 3:
            second.gradients.copy_(gradients(step))
            second.advance()
    assert torch.equal(one, other)


def test_states_of_others_are_refused():
    optimizer = Adam(parameters())
    state = save_modules({"optimizer": optimizer})
    with pytest.raises(KeyError, match="second_moments"):
        load_modules({"optimizer": optimizer}, {k: v for k, v in state.items() if "second" not in k})
    with pytest.raises(ModuleStateError, match=r"first_moments must be of shape \(856,\), not \(3,\)"):
        load_modules({"optimizer": optimizer}, state | {"optimizer.first_moments": np.zeros(3, np.float32)})
