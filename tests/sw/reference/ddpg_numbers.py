"""Networks, states and batches for tests of the whole device."""

from types import SimpleNamespace

import numpy as np

from rewardware.hw.soc.fixar.config import FixarConfig, Networks
from rewardware.sw.reference.fixar_state import initial_state, with_parameters

# Nothing is a power of two.
ODD = FixarConfig(
    name="odd", cores=3, lanes=6, vectors=12, weight_rows=204, activation_rows=1200, error_rows=1080,
    accumulator_depth=37, batch_limit=77, instruction_depth=256,
)  # fmt: skip
EVEN = FixarConfig(
    name="even", cores=2, lanes=4, vectors=8, weight_rows=280, activation_rows=1024, error_rows=1024,
    accumulator_depth=40, batch_limit=40, instruction_depth=512,
)  # fmt: skip
NETWORKS = Networks(observation_size=5, action_size=8, hidden_sizes=(21, 17))


def random_layers(networks, network, generator):
    """Matrices and biases as reals."""
    layers = networks.layers(network)
    matrices = [
        generator.uniform(-1, 1, (layer.outputs, layer.inputs - layer.first)) / np.sqrt(layer.inputs)
        for layer in layers
    ]
    return matrices, [generator.uniform(-0.1, 0.1, layer.outputs) for layer in layers]


def random_state(config, networks, seed=0):
    """All four networks different."""
    generator = np.random.default_rng(seed)
    state = initial_state(config, networks, seed)
    for network in ("actor", "critic", "target_actor", "target_critic"):
        state = with_parameters(state, config, networks, network, *random_layers(networks, network, generator))
    return state


def random_batch(networks, size, seed=0, scale=1.0):
    generator = np.random.default_rng(seed)
    return SimpleNamespace(
        observations=scale * generator.normal(size=(size, networks.observation_size)),
        actions=generator.uniform(-1, 1, (size, networks.action_size)),
        rewards=scale * generator.normal(size=size),
        discounts=np.where(generator.random(size) < 0.1, 0, 0.99),
        next_observations=scale * generator.normal(size=(size, networks.observation_size)),
    )
