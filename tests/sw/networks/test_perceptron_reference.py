"""The reference of passes and of Adam's steps against PyTorch in double precision, within bounds of rounding."""

import numpy as np
import pytest
import torch

from .perceptron_reference import AdamReference, backward, forward, layers_of

# What an operation rounds by, relative to its result.
UNIT = 2.0**-24


def gamma(operations):
    """By what so many roundings in a row change a term of a sum, relative to it."""
    return operations * UNIT / (1 - operations * UNIT)


@pytest.mark.parametrize(("sizes", "rows"), [((3, 1), 1), ((4, 9, 2), 7), ((23, 40, 33, 3), 12)])
def test_passes_are_those_of_autograd(sizes, rows):
    """Bounds go through the layers as the numbers do: what came in wrong, and what the sum of a layer rounds."""
    generator = np.random.default_rng(0)
    count = sum((one + 1) * other for one, other in zip(sizes[:-1], sizes[1:], strict=True))
    vector = generator.normal(0, 0.3, count).astype(np.float32)
    inputs, slopes = (generator.normal(size=(rows, size)).astype(np.float32) for size in (sizes[0], sizes[-1]))
    layers = layers_of(vector, sizes)
    kept = forward(layers, inputs)
    gradients, by_inputs = backward(layers, kept, slopes)

    exact = torch.from_numpy(vector).double().requires_grad_()
    given = torch.from_numpy(inputs).double().requires_grad_()
    values = [given]
    for number, (first, last) in enumerate(zip(sizes[:-1], sizes[1:], strict=True)):
        start = sum((one + 1) * other for one, other in zip(sizes[:number], sizes[1 : number + 1], strict=True))
        weights = exact[start : start + first * last].view(first, last)
        sums = values[-1] @ weights + exact[start + first * last : start + (first + 1) * last]
        values.append(torch.relu(sums) if number + 2 < len(sizes) else sums)
    values[-1].backward(torch.from_numpy(slopes).double())

    wrong = [np.zeros_like(inputs, np.float64)]
    for (weights, biases), before, found, expected in zip(layers, kept[:-1], kept[1:], values[1:], strict=True):
        sizes_of_terms = (np.abs(before) + wrong[-1]) @ np.abs(weights) + np.abs(biases)
        wrong.append(wrong[-1] @ np.abs(weights) + gamma(len(weights) + 1) * sizes_of_terms)
        assert (np.abs(found - expected.detach().numpy()) <= wrong[-1]).all()
        # The same neurons are on, or the way back would be another.
        assert np.array_equal(found > 0, expected.detach().numpy() > 0)

    slope, error, bounds = np.abs(slopes).astype(np.float64), np.zeros(slopes.shape), []
    for (weights, _), before, wrong_before in zip(layers[::-1], kept[-2::-1], wrong[-2::-1], strict=True):
        before, most = np.abs(before), slope + error
        of_weights = before.T @ error + wrong_before.T @ most + gamma(rows) * (before + wrong_before).T @ most
        bounds = [of_weights.reshape(-1), error.sum(0) + gamma(rows) * most.sum(0), *bounds]
        size = np.abs(weights).T
        slope, error = slope @ size, error @ size + gamma(len(size)) * (most @ size)
    assert (np.abs(gradients - exact.grad.numpy()) <= np.concatenate(bounds)).all()
    assert (np.abs(by_inputs - given.grad.numpy()) <= error).all()


def test_steps_are_those_of_pytorch():
    """With a rate that changes.

    ``1 - beta2`` of binary32 is 1.3e-5 off, a root halves that, and what rounds is small beside it: 1e-5 of a step. No
    step is longer than ``(1 - beta1) / sqrt(1 - beta2)`` rates (Kingma and Ba, section 2.1), and each sum rounds once.
    """
    generator, count, rates = np.random.default_rng(1), 861, 1e-2 / np.arange(1, 13)
    found = generator.normal(size=count).astype(np.float32)
    exact, adam = torch.from_numpy(found).double(), AdamReference(count)
    optimizer, bound = torch.optim.Adam([exact]), 0.0
    for rate in rates:
        gradients = generator.normal(size=count).astype(np.float32)
        exact.grad = torch.from_numpy(gradients).double()
        optimizer.param_groups[0]["lr"] = rate
        optimizer.step()
        found = adam.advance(found, gradients, rate)
        bound += 1e-5 * 0.1 / np.sqrt(0.001) * rate + UNIT * np.abs(found).max()
        assert np.abs(found - exact.numpy()).max() <= bound
