"""Steps of Adam on a shorter way than PyTorch's, to PyTorch's bits."""

import copy

import numpy as np
import pytest
import torch

from rewardware.sw.networks import fused_adam
from rewardware.sw.networks.fused_adam import FusedAdam
from rewardware.sw.networks.torch_networks import load_modules, save_modules

SHAPES = (37, 23), (37,), (1, 37), (1,)


def parameters():
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator) for shape in SHAPES]


def set_gradients(tensors, generator):
    for tensor in tensors:
        tensor.grad = torch.from_numpy(generator.normal(size=tensor.shape).astype(np.float32))


@pytest.mark.parametrize("promised", [False, True])
def test_steps_are_those_of_the_optimizer(promised, monkeypatch):
    """With a rate that changes, and a state that is taken back in mid-course; with what PyTorch promises alone, too."""
    if promised:
        monkeypatch.setattr(fused_adam, "FUSED", None)
    found, told = parameters(), parameters()
    one, other = FusedAdam(found, 1e-2), torch.optim.Adam(told, 1e-2, fused=True)
    for step in range(12):
        set_gradients(found, np.random.default_rng(step))
        set_gradients(told, np.random.default_rng(step))
        one.param_groups[0]["lr"] = other.param_groups[0]["lr"] = 1e-2 / (step + 1)
        one.advance()
        other.step()
        assert all(torch.equal(left, right) for left, right in zip(found, told, strict=True))
        if step == 5:
            one.load_state_dict(copy.deepcopy(other.state_dict()))
    left, right = save_modules({"optimizer": one}), save_modules({"optimizer": other})
    assert len(left) == 3 * len(SHAPES) and left.keys() == right.keys()
    assert all(np.array_equal(left[name], right[name]) for name in left)


def test_a_loaded_one_goes_on_identically():
    one, other = parameters(), parameters()
    first, second = FusedAdam(one), FusedAdam(other)
    for step in range(8):
        set_gradients(one, np.random.default_rng(step))
        first.advance()
        if step == 3:
            # It has its own moments by then, which are of no use.
            set_gradients(other, np.random.default_rng(9))
            second.advance()
            second.advance()
            load_modules({"optimizer": second}, save_modules({"optimizer": first}))
            for left, right in zip(other, one, strict=True):
                left.copy_(right)
        if step > 3:
            set_gradients(other, np.random.default_rng(step))
            second.advance()
    assert all(torch.equal(left, right) for left, right in zip(one, other, strict=True))
