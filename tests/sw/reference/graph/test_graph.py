"""Graphs against PyTorch's autograd in double precision."""

import numpy as np
import pytest
import torch

from rewardware.hw.cores.graph.config import AttentionNode, ConcatenationNode, InputNode, LinearNode
from rewardware.sw.reference.graph.graph import backpropagate, propagate
from tests.hw.cores.graph.critics import attention_critic, perceptron
from tests.hw.cores.layer.stimulus import parameter_shape

ACTIVATIONS = {
    "linear": lambda x: x,
    "relu": torch.relu,
    "leaky_relu": torch.nn.functional.leaky_relu,
    "tanh": torch.tanh,
}


def oracle(config, weights, inputs):
    """Output of the graph: matrix products of sets, attention by masks."""
    given, matrices, found = iter(inputs), iter(weights), {}
    for node in config.nodes:
        sources = [found[source] for source in node.sources]
        match node:
            case InputNode():
                found[node.name] = next(given)
            case LinearNode():
                matrix = next(matrices)
                sets = node.layer.parameter_sets
                turns = sources[0].reshape(-1, sets, node.layer.inputs)
                matrix = matrix.reshape(sets, node.layer.rows, node.layer.outputs)
                sums = torch.einsum("bsi,sio->bso", turns, matrix[:, : node.layer.inputs])
                if node.layer.bias:
                    sums = sums + matrix[:, node.layer.inputs]
                found[node.name] = ACTIVATIONS[node.layer.activation](sums.reshape(-1, node.layer.outputs))
            case ConcatenationNode():
                found[node.name] = torch.cat(sources, dim=1)
            case AttentionNode():
                attention = node.attention
                heads = [
                    table.reshape(-1, attention.agents, attention.heads, table.shape[1] // attention.heads)
                    for table in sources
                ]
                queries, keys, values = (table.transpose(1, 2) for table in heads)
                scores = queries @ keys.transpose(-1, -2) / attention.key_size**0.5
                scores = scores.masked_fill(torch.eye(attention.agents, dtype=torch.bool), -torch.inf)
                found[node.name] = (scores.softmax(-1) @ values).transpose(1, 2).reshape(-1, node.size)
    return found[config.output.name]


@pytest.mark.parametrize(
    "config",
    [
        attention_critic(),
        attention_critic(agents=2, heads=1, hidden=8),
        attention_critic(agents=8, heads=4, hidden=12, units=5),
        perceptron(),
        perceptron(activation="tanh"),
    ],
    ids=["critic", "two agents", "eight agents", "perceptron", "tanh"],
)
def test_gradients_are_autograds(config):
    rng = np.random.default_rng(1)
    count = 5 * config.agents
    weights = [
        (rng.normal(0, 1, parameter_shape(node.layer)) / node.layer.inputs**0.5).astype(np.float32)
        for node in config.linear
    ]
    inputs = [rng.normal(0, 1, (count, node.size)).astype(np.float32) for node in config.inputs]
    errors = rng.normal(0, 1, (count, config.output.size)).astype(np.float32)
    wide = [torch.tensor(matrix, dtype=torch.float64, requires_grad=True) for matrix in weights]
    expected = oracle(config, wide, [torch.tensor(table, dtype=torch.float64) for table in inputs])
    expected.backward(torch.tensor(errors, dtype=torch.float64))
    outputs = propagate(config, weights, inputs)
    assert np.abs(outputs[config.output.name] - expected.detach().numpy()).max() < 1e-5
    gradients = backpropagate(config, weights, outputs, errors)
    for node, got, matrix in zip(config.linear, gradients, wide, strict=True):
        assert got.shape == parameter_shape(node.layer)
        assert np.abs(got - matrix.grad.numpy()).max() < 5e-5, node.name
