"""Layout of weights in their bank."""

import numpy as np
import pytest

from rewardware.hw.soc.fixar.config import Networks
from rewardware.sw.systems.fixar.program.weights import WeightLayout

from ....reference.ddpg_numbers import EVEN, NETWORKS, ODD

DEEP = Networks(observation_size=4, action_size=2, hidden_sizes=(9, 8, 7))


@pytest.mark.parametrize("config", [ODD, EVEN])
@pytest.mark.parametrize("networks", [NETWORKS, DEEP])
@pytest.mark.parametrize("network", ["actor", "critic"])
def test_every_word_has_its_place(config, networks, network):
    layout = WeightLayout(config, networks, network)
    generator = np.random.default_rng(0)
    shapes = networks.layers(network)
    matrices = [generator.integers(1, 1 << 31, (layer.outputs, layer.inputs)) for layer in shapes]
    biases = [generator.integers(1, 1 << 31, layer.outputs) for layer in shapes]
    rows = layout.pack(matrices, biases, np.int64)
    assert rows.shape == (layout.rows, config.lanes)
    lanes = config.lanes
    for layer, matrix, bias in zip(layout.layers, matrices, biases, strict=True):
        assert layer.base % lanes == layer.bias_base % lanes == 0
        blocks = -(-layer.inputs // lanes)
        for p in (0, lanes - 1, layer.outputs - 1):
            for q in (0, lanes - 1, layer.inputs - 1):
                p, q = min(p, layer.outputs - 1), min(q, layer.inputs - 1)
                row = layer.base + (p // lanes * blocks + q // lanes) * lanes + p % lanes
                assert rows[row, q % lanes] == matrix[p, q]
            assert rows[layer.bias_base + p // lanes, p % lanes] == bias[p]
    words = sum(matrix.size for matrix in matrices) + sum(bias.size for bias in biases)
    assert (rows != 0).sum() == words
    for one, other in zip([*matrices, *biases], sum(layout.unpack(rows), []), strict=True):
        assert np.array_equal(one, other)
