"""The state of a LearningGroup device as named arrays: what save gives and load takes."""

from collections.abc import Mapping

import numpy as np

from ....hw.cores.random.xorshift import state_from_seed
from ....hw.soc.learninggroup.config import Network

__all__ = ["SAMPLED_HEADS", "check_state", "generator_count", "initial_state", "parameter_shapes", "state_shapes"]

# Their actions are drawn with the generator of the core that has the head.
SAMPLED_HEADS = ("policy", "gate")


def parameter_shapes(network: Network) -> dict[str, tuple[int, ...]]:
    """``{name: shape}`` of everything that is learned."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, layer in network.layers.items():
        shapes[f"weight/{name}"] = layer.rows, layer.columns
        shapes[f"input_grouping/{name}"] = layer.rows, network.groups
        shapes[f"output_grouping/{name}"] = network.groups, layer.columns
    for name, size in network.biases.items():
        shapes[f"bias/{name}"] = (size,)
    return shapes


def generator_count(cores: int) -> int:
    """Cores that draw actions."""
    return min(cores, len(SAMPLED_HEADS))


def state_shapes(network: Network, cores: int) -> dict[str, tuple[int, ...]]:
    """``{name: shape}`` of everything in a state: parameters, their mean squares, and the cores' generators."""
    parameters = parameter_shapes(network)
    squares = {f"square/{name}": shape for name, shape in parameters.items()}
    return {**parameters, **squares, "random": (generator_count(cores),)}


def initial_state(network: Network, cores: int, seed: int = 0) -> dict[str, np.ndarray]:
    """State before anything was learned: zeros; ``seed`` is the sampling's, 63 bits."""
    state: dict[str, np.ndarray] = {name: np.zeros(shape) for name, shape in state_shapes(network, cores).items()}
    seeds = [2 * seed + core for core in range(generator_count(cores))]
    state["random"] = np.array([state_from_seed(each) for each in seeds], np.uint64)
    return state


def check_state(state: Mapping[str, np.ndarray], network: Network, cores: int) -> None:
    """Raises ValueError where a state is not one of this network and so many cores."""
    shapes = state_shapes(network, cores)
    missing = [name for name in shapes if name not in state]
    unknown = [name for name in state if name not in shapes]
    if missing or unknown:
        difference = f"it lacks {missing[0]}" if missing else f"it has {unknown[0]}"
        raise ValueError(f"State is not one of this network: {difference}")
    for name, shape in shapes.items():
        if np.shape(state[name]) != shape:
            raise ValueError(f"State's {name} must have shape {shape}, not {np.shape(state[name])}")
