"""Passes of perceptrons against autograd in float64: widths about those of panels, one thread and several."""

import copy

import numpy as np
import pytest
import torch

from rewardware.sw.networks.initialization import initial_layers
from rewardware.sw.networks.network import Network, shared_passes


def numbers(generator, *shape):
    return torch.from_numpy(generator.normal(size=shape).astype(np.float32))


def close(found, expected):
    """Within a few units in the last place of the largest number."""
    expected = expected.detach()
    return torch.allclose(found.double(), expected, rtol=0, atol=3e-6 * float(expected.abs().max()))


@pytest.mark.parametrize(
    ("sizes", "rows"),
    [((3, 1), 1), ((1, 5, 2), 7), ((4, 64, 64, 2), 32), ((33, 31, 16, 17), 13), ((23, 256, 131, 3), 257)],
)
def test_passes_are_those_of_autograd(sizes, rows):
    generator = np.random.default_rng(0)
    network = Network(initial_layers(sizes, generator), 1e-3)
    oracle = copy.deepcopy(network.module).double().requires_grad_()
    observations, slopes = numbers(generator, rows, sizes[0]), numbers(generator, rows, sizes[-1])
    exact = observations.double().requires_grad_()
    outputs = oracle(exact)
    outputs.backward(slopes.double())

    found, way = network(observations)
    assert close(found, outputs)
    network.differentiate(way, slopes)
    gradients = torch.cat([part.grad.t().reshape(-1) if part.ndim == 2 else part.grad for part in oracle.parameters()])
    assert close(network.optimizer.gradients, gradients)
    assert close(network.input_derivative(network(observations)[1], slopes), exact.grad)
    # The derivative by the inputs leaves them alone.
    assert close(network.optimizer.gradients, gradients)


def test_several_threads_have_the_same_bits():
    generator = np.random.default_rng(1)
    layers = initial_layers((23, 256, 256, 1), generator)
    inputs, slopes = numbers(generator, 256, 23), numbers(generator, 256, 1)
    found, threads = [], torch.get_num_threads()
    try:
        for count in (1, 2, 3):
            torch.set_num_threads(count)
            network = Network(layers, 1e-2)
            with shared_passes():
                assert torch.get_num_threads() == 1
                for _ in range(20):
                    outputs, way = network(inputs)
                    network.learn(way, slopes)
                    back = network.input_derivative(network(inputs)[1], slopes)
            assert torch.get_num_threads() == count
            found.append([outputs, back, *network.parameters])
    finally:
        torch.set_num_threads(threads)
    for others in found[1:]:
        assert all(torch.equal(one, other) for one, other in zip(found[0], others, strict=True))


def test_values_side_by_side_are_one_input():
    generator = np.random.default_rng(2)
    network = Network(initial_layers((7, 9, 2), generator), None)
    values = numbers(generator, 5, 7)
    # Columns and rows that are not side by side in memory.
    wide = torch.cat((values, values), 1)
    expected = network(values)[0]
    for given in ((values[:, :3], values[:, 3:]), (wide[:, :7],), (values.t().contiguous().t(),)):
        assert torch.equal(network(*given)[0], expected)


def test_a_pass_is_kept_until_it_is_let_go():
    """Of passes at the same time each has its own memory; one that is let go gives it to the next."""
    generator = np.random.default_rng(3)
    network = Network(initial_layers((4, 8, 3), generator), 1e-3)
    one, other, slopes = numbers(generator, 6, 4), numbers(generator, 6, 4), numbers(generator, 6, 3)
    expected = network.input_derivative(network(one)[1], slopes)
    first, second = network(one)[1], network(other)[1]
    assert first.memory.data_ptr() != second.memory.data_ptr()
    assert torch.equal(network.input_derivative(first, slopes), expected)
    place = first.memory.data_ptr()
    del first
    assert network(one)[1].memory.data_ptr() == place


@pytest.mark.parametrize("layer", [0, 1])
def test_what_is_no_number_stays_none(layer):
    """A network that has gone astray says so: a ReLU does not hide it."""
    generator = np.random.default_rng(4)
    layers = initial_layers((3, 40, 40, 2), generator)
    layers[layer][0][5, 1] = np.nan
    network = Network(layers, None)
    assert torch.isnan(network(numbers(generator, 4, 3))[0]).all()


def test_a_follower_goes_a_part_of_the_way():
    generator = np.random.default_rng(5)
    leader, follower = (Network(initial_layers((5, 33, 2), generator), None) for _ in range(2))
    expected = [one + 0.25 * (other - one) for one, other in zip(follower.parameters, leader.parameters, strict=True)]
    follower.follow(leader, 0.25)
    assert all(torch.allclose(*pair, atol=1e-7) for pair in zip(follower.parameters, expected, strict=True))
    copied = follower.copy()
    assert all(torch.equal(*pair) for pair in zip(copied.parameters, follower.parameters, strict=True))
    follower.follow(leader, 1.0)
    assert not any(torch.equal(*pair) for pair in zip(copied.parameters, follower.parameters, strict=True))
