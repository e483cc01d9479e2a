"""The stages of a layer against loops over bit patterns, and against matrix products in double precision."""

import numpy as np
import pytest
import torch

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, BINARY32, FloatLaneConfig
from rewardware.hw.cores.layer.config import LayerConfig
from rewardware.sw.reference.float import arithmetic, host
from rewardware.sw.reference.layer.stages import activate, backward, differentiate, forward, gradient

LAYERS = [
    LayerConfig(inputs=inputs, outputs=outputs, units=units, activation="linear", arithmetic=arithmetic_of)
    for arithmetic_of in (
        FloatLaneConfig(format=BINARY32, adder_depth=4),
        FloatLaneConfig(format=BINARY16, adder_depth=3),
        FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=2),
    )
    for inputs, outputs, units in ((7, 5, 5), (3, 6, 2), (6, 7, 3), (1, 1, 1), (2, 4, 4))
]


def named(layer):
    return f"{layer.inputs}-{layer.outputs} by {layer.units}, {layer.arithmetic.format}"


def numbers(rng, number_format, *shape):
    """Values with zeros of both signs among them."""
    values = rng.normal(0, 1, shape) * 2.0 ** rng.integers(-6, 7, shape)
    values[rng.random(shape) < 0.1] = 0
    values[rng.random(shape) < 0.1] = -0.0
    return host.from_bits(number_format, host.to_bits(number_format, values))


def one_by_one(number_format, left, right, order):
    """Sum of products of bit patterns; ``order`` is a tree of tuples (sums from left to right) over their indices."""
    if isinstance(order, int):
        return int(arithmetic.multiply(number_format, left[order], right[order]))
    total = one_by_one(number_format, left, right, order[0])
    for part in order[1:]:
        total = int(arithmetic.add(number_format, total, one_by_one(number_format, left, right, part)))
    return total


def as_tree(parts):
    """Neighbours first."""
    while len(parts) > 1:
        parts = [tuple(parts[place : place + 2]) for place in range(0, len(parts), 2)]
        parts = [pair if len(pair) == 2 else pair[0] for pair in parts]
    return parts[0]


@pytest.mark.parametrize("layer", LAYERS, ids=named)
def test_forward_term_by_term(layer):
    number_format = layer.arithmetic.format
    rng = np.random.default_rng(1)
    weights = numbers(rng, number_format, layer.rows, layer.outputs)
    x = numbers(rng, number_format, 3, layer.inputs)
    got = host.to_bits(number_format, forward(layer, weights, x))
    weight_bits = host.to_bits(number_format, weights)
    order = as_tree([tuple(range(place, layer.rows, layer.partial_sums)) for place in range(layer.partial_sums)])
    for sample, bits in enumerate(host.to_bits(number_format, x)):
        left = [*bits, number_format.one]
        for output in range(layer.outputs):
            expected = one_by_one(number_format, weight_bits[:, output], left, order)
            assert got[sample, output] == expected


@pytest.mark.parametrize("layer", LAYERS, ids=named)
def test_backward_term_by_term(layer):
    number_format = layer.arithmetic.format
    rng = np.random.default_rng(2)
    weights = numbers(rng, number_format, layer.rows, layer.outputs)
    errors = numbers(rng, number_format, 3, layer.outputs)
    got = host.to_bits(number_format, backward(layer, weights, errors))
    assert got.shape == (3, layer.inputs)
    padding = [0] * (layer.groups * layer.units - layer.outputs)
    groups = [as_tree(list(range(layer.units * group, layer.units * (group + 1)))) for group in range(layer.groups)]
    order = tuple(groups) if layer.groups > 1 else groups[0]
    for sample, bits in enumerate(host.to_bits(number_format, errors)):
        for row, weight_bits in enumerate(host.to_bits(number_format, weights[:-1])):
            expected = one_by_one(number_format, [*weight_bits, *padding], [*bits, *padding], order)
            assert got[sample, row] == expected


@pytest.mark.parametrize("layer", LAYERS, ids=named)
def test_gradient_term_by_term(layer):
    number_format = layer.arithmetic.format
    rng = np.random.default_rng(3)
    x, errors = numbers(rng, number_format, 5, layer.inputs), numbers(rng, number_format, 5, layer.outputs)
    got = host.to_bits(number_format, gradient(layer, x, errors))
    assert got.shape == (layer.rows, layer.outputs)
    ones = np.full((5, 1), number_format.one)
    left = np.concatenate([host.to_bits(number_format, x), ones], axis=1)
    right = host.to_bits(number_format, errors)
    for row in range(layer.rows):
        for output in range(layer.outputs):
            assert got[row, output] == one_by_one(number_format, left[:, row], right[:, output], tuple(range(5)))


def test_forward_with_one_sum_is_numpys():
    """In float32 and in the order of the rows, NumPy's multiplication and addition have the same bits."""
    rng = np.random.default_rng(4)
    layer = LayerConfig(inputs=19, outputs=23, units=5)
    assert layer.partial_sums == 1
    weights = rng.normal(0, 1, (20, 23)).astype(np.float32)
    x = rng.normal(0, 1, (8, 19)).astype(np.float32)
    total = x[:, :1] * weights[0]
    for row in range(1, 19):
        total += x[:, row : row + 1] * weights[row]
    total += weights[-1]
    assert forward(layer, weights, x).tobytes() == np.maximum(total, 0).tobytes()


def test_backward_by_one_unit_is_numpys():
    rng = np.random.default_rng(5)
    layer = LayerConfig(inputs=19, outputs=23, units=1)
    weights, errors = rng.normal(0, 1, (20, 23)).astype(np.float32), rng.normal(0, 1, (8, 23)).astype(np.float32)
    expected = np.cumsum(weights[:-1] * errors[:, None], axis=-1, dtype=np.float32)[..., -1]
    assert backward(layer, weights, errors).tobytes() == expected.tobytes()


def test_matrix_products():
    rng = np.random.default_rng(6)
    layer = LayerConfig(inputs=61, outputs=37, units=37, activation="linear")
    weights, x, errors = (rng.normal(0, 1, shape).astype(np.float32) for shape in ((62, 37), (9, 61), (9, 37)))
    # Each of at most 62 terms, of magnitude 20 at most, is rounded twice.
    bound = 62 * 2 * 20 * 2**-24
    wide = weights.astype(np.float64)
    assert np.abs(forward(layer, weights, x) - (x @ wide[:-1] + wide[-1])).max() < bound
    assert np.abs(backward(layer, weights, errors) - errors @ wide[:-1].T).max() < bound
    ones = np.ones((9, 1))
    expected = np.concatenate([x, ones], axis=1).T @ errors.astype(np.float64)
    assert np.abs(gradient(layer, x, errors) - expected).max() < bound


def test_activations():
    relu, linear = (LayerConfig(inputs=1, outputs=5, units=1, activation=name) for name in ("relu", "linear"))
    sums = np.array([-np.inf, -0.0, 0.0, 1e-45, np.nan], np.float32)
    outputs = activate(relu, sums)
    assert outputs.tobytes() == np.array([0, 0, 0, 1e-45, np.nan], np.float32).tobytes()
    assert activate(linear, sums) is sums
    errors = np.arange(1, 6, dtype=np.float32)
    assert differentiate(relu, outputs, errors).tolist() == [0, 0, 0, 4, 5]
    assert differentiate(linear, outputs, errors) is errors
    # NaN stays NaN whatever its sign.
    assert np.isnan(activate(relu, np.array([-np.nan], np.float32)))[0]


def test_leaky_relu_is_pytorchs():
    """Outputs and derivatives, also at zeros of both signs."""
    layer = LayerConfig(inputs=1, outputs=8, units=1, activation="leaky_relu")
    sums = np.array([-np.inf, -3.7, -1e-45, -0.0, 0.0, 1e-45, 2.9, np.inf], np.float32)
    errors = np.linspace(-2, 3, 8, dtype=np.float32)
    x = torch.tensor(sums, requires_grad=True)
    outputs = torch.nn.functional.leaky_relu(x)
    outputs.backward(torch.tensor(errors))
    got = activate(layer, sums)
    assert got.tobytes() == outputs.detach().numpy().tobytes()
    assert differentiate(layer, got, errors).tobytes() == x.grad.numpy().tobytes()
    assert np.isnan(activate(layer, np.array([-np.nan], np.float32)))[0]


@pytest.mark.parametrize("bias", [True, False])
def test_sets_of_parameters_in_turn_are_layers_side_by_side(bias):
    """PyTorch's matrix products of each set with the samples that are its turn, in double precision."""
    rng = np.random.default_rng(7)
    layer = LayerConfig(inputs=6, outputs=5, units=2, activation="linear", parameter_sets=3, bias=bias)
    weights = rng.normal(0, 1, (3, 6 + bias, 5)).astype(np.float32)
    x, errors = rng.normal(0, 1, (12, 6)).astype(np.float32), rng.normal(0, 1, (12, 5)).astype(np.float32)
    wide, inputs = (torch.tensor(numbers, dtype=torch.float64, requires_grad=True) for numbers in (weights, x))
    turns = inputs.reshape(4, 3, 6)
    outputs = torch.einsum("bsi,sio->bso", turns, wide[:, :6]) + (wide[:, 6] if bias else 0)
    outputs.backward(torch.tensor(errors, dtype=torch.float64).reshape(4, 3, 5))
    assert np.abs(forward(layer, weights, x) - outputs.detach().numpy().reshape(12, 5)).max() < 1e-5
    assert np.abs(backward(layer, weights, errors) - inputs.grad.numpy()).max() < 1e-5
    assert np.abs(gradient(layer, x, errors) - wide.grad.numpy()).max() < 1e-5
