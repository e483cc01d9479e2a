"""Compiled functions in binary32 give the bits of the general form."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY32
from rewardware.sw.reference.a3c import network
from rewardware.sw.reference.a3c.agents import AgentsReference
from rewardware.sw.reference.a3c.network import LayerParameters
from rewardware.sw.reference.float.host import to_bits
from tests.sw.reference.a3c.rollouts import CORNERS, RATES, drawn_parameters, small


def generally(monkeypatch, compute):
    """Compute by the general form."""
    with monkeypatch.context() as patched:
        # No format is the one whose loops are compiled.
        patched.setattr(network, "BINARY32", None)
        return compute()


def bits_of(arrays):
    return [to_bits(BINARY32, array).tolist() if array.dtype == np.float32 else array.tolist() for array in arrays]


def flat(layers):
    return [array for layer in layers for array in layer]


def mixed(generator, *shape):
    """Numbers of which every third is a corner value."""
    drawn = generator.normal(0, 1, shape).astype(np.float32)
    return np.where(generator.random(shape) < 1 / 3, generator.choice(CORNERS, shape), drawn)


@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 16])
@pytest.mark.parametrize("corners", [False, True])
def test_layers(width, corners, monkeypatch):
    generator = np.random.default_rng(width)
    config = small(width=width)
    for _ in range(20 if corners else 5):
        draw = mixed if corners else lambda generator, *shape: generator.normal(0, 1, shape).astype(np.float32)
        parameters = [
            LayerParameters(draw(generator, layer.outputs, layer.inputs), draw(generator, layer.outputs))
            for layer in config.layers
        ]
        observation = draw(generator, 5)

        def infer(parameters=parameters, observation=observation):
            found = network.infer(config, parameters, observation)
            return bits_of([*found.inputs, found.probabilities, np.asarray(found.value)])

        assert infer() == generally(monkeypatch, infer)
        inputs = [draw(generator, 4, layer.inputs) for layer in config.layers]
        inputs[1][:, ::2] = 0
        errors = draw(generator, 4, 4)

        def train(parameters=parameters, inputs=inputs, errors=errors):
            found = network.backward(config, parameters, inputs, errors)
            return bits_of([*found, *flat(network.gradients(config, inputs, found))])

        assert train() == generally(monkeypatch, train)


@pytest.mark.parametrize("behind", [False, True])
def test_updates(behind, monkeypatch):
    config = small()

    def compute():
        generator = np.random.default_rng(7)
        agents = AgentsReference(config, drawn_parameters(config, generator))
        for update in range(6):
            agent = update % 2
            for _ in range(4):
                agents.observe(agent, generator.normal(0, 1, 5).astype(np.float32))
                agents.act(agent, int(generator.integers(3)), np.float32(generator.normal()))
            if behind:
                agents.observe(agent, generator.normal(0, 1, 5).astype(np.float32))
            agents.train(agent, RATES)
        return bits_of(flat([*agents.parameters, *agents.squares, *agents.local[1]]))

    assert compute() == generally(monkeypatch, compute)
