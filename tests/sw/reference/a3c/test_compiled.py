"""What is compiled in binary32 gives the bits of the general form."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BINARY32
from rewardware.sw.reference.a3c import functions, loss_gradient, network, rms_prop
from rewardware.sw.reference.a3c.agents import AgentsReference
from rewardware.sw.reference.a3c.network import LayerParameters
from rewardware.sw.reference.float.host import to_bits
from tests.sw.reference.a3c.rollouts import CORNERS, RATES, drawn_parameters, small


def generally(monkeypatch, compute):
    """What the general form computes."""
    with monkeypatch.context() as patched:
        for module in (functions, network, rms_prop):
            patched.setattr(module, "is_compiled", lambda *_: False)
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


def test_losses_of_improbable_actions(monkeypatch):
    generator = np.random.default_rng(1)
    probabilities = np.array([[0, 1, 0], [1e-40, 0.5, 0.5], [1, 0, 0], [0.2, 0.3, 0.5]], np.float32)
    values, rewards = generator.normal(0, 1, (2, 4)).astype(np.float32)

    def compute():
        found = loss_gradient.loss_gradient(
            BINARY32, probabilities, values, np.array([0, 1, 2, 2]), rewards, np.float32(0.25),
            discount=np.float32(0.99), entropy=np.float32(0.01), value_slope=np.float32(-1),
        )  # fmt: skip
        return bits_of(found)

    assert compute() == generally(monkeypatch, compute)


def test_steps_of_the_optimiser(monkeypatch):
    generator = np.random.default_rng(2)
    weights, gradients = mixed(generator, 400), mixed(generator, 400)
    squares = to_bits(BINARY32, np.abs(mixed(generator, 400)))
    rates = {"decay": 0.99, "one_minus_decay": 0.01, "learning_rate": 7e-4, "epsilon": 1e-8}

    def compute():
        return bits_of(rms_prop.rms_prop(BINARY32, weights, squares, gradients, **rates))

    assert compute() == generally(monkeypatch, compute)


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
