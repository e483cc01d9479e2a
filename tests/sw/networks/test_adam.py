"""Steps of Adam on one vector against PyTorch's in float64, and its states."""

import numpy as np
import pytest
import torch

from rewardware.sw.networks.adam import Adam
from rewardware.sw.networks.torch_networks import ModuleStateError, load_modules, save_modules

COUNT = 37 * 23 + 5


def parameters():
    return torch.from_numpy(np.random.default_rng(0).normal(size=COUNT).astype(np.float32))


def gradients(step):
    return torch.from_numpy(np.random.default_rng(step + 1).normal(size=COUNT).astype(np.float32))


def test_steps_are_those_of_pytorch():
    """With a rate that changes."""
    found, exact = parameters(), parameters().double()
    one, other = Adam(found, 1e-2), torch.optim.Adam([exact], 1e-2)
    for step in range(12):
        one.gradients.copy_(gradients(step))
        exact.grad = gradients(step).double()
        one.learning_rate = other.param_groups[0]["lr"] = 1e-2 / (step + 1)
        one.advance()
        other.step()
        assert torch.allclose(found.double(), exact, rtol=0, atol=1e-6)


@pytest.mark.parametrize(("length", "factor"), [(1e3, 1), (0.5, 0.5), (float("inf"), 1)])
def test_gradients_are_cut_to_a_length(length, factor):
    optimizer = Adam(parameters())
    given = gradients(0)
    optimizer.gradients.copy_(given)
    optimizer.clip(length)
    if factor == 1:
        assert torch.equal(optimizer.gradients, given)
    else:
        assert float(torch.linalg.vector_norm(optimizer.gradients)) == pytest.approx(length, rel=1e-5)
        assert torch.allclose(optimizer.gradients * torch.linalg.vector_norm(given) / length, given, atol=1e-5)


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
