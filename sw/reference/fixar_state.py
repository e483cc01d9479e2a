"""The state of a FIXAR device as named arrays: what save gives and load takes, on reference and device alike."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...hw.cores.random.xorshift import state_from_seed
from ...hw.soc.fixar.config import BANKS, FixarConfig, Networks
from .arrays import IntegerArray, RealArray
from .learner_batch import LearnerBatch

__all__ = [
    "COUNTERS",
    "KINDS",
    "Transitions",
    "check_state",
    "initial_state",
    "observations_to_words",
    "parameters_of",
    "state_shapes",
    "with_parameters",
]

# Kind of parameter array: its networks and the type of its words.
KINDS: dict[str, tuple[tuple[str, ...], type[np.integer]]] = {
    "weight": (BANKS, np.int32),
    "gradient": (BANKS[:2], np.int32),
    "first_moment": (BANKS[:2], np.int32),
    "second_moment": (BANKS[:2], np.uint64),
}
COUNTERS = ("result_saturations", "code_saturations", "gradient_saturations", "weight_saturations")
ONE = 1 << 32


def state_shapes(config: FixarConfig, networks: Networks) -> dict[str, tuple[tuple[int, ...], type[np.integer]]]:
    """``{name: (shape, type)}`` of everything in a state.

    Parameters
    ----------
    config : FixarConfig
    networks : Networks
    """
    shapes: dict[str, tuple[tuple[int, ...], type[np.integer]]] = {}
    for kind, (names, dtype) in KINDS.items():
        for network in names:
            for index, layer in enumerate(networks.layers(network)):
                shapes[f"{kind}/{network}/{index}/matrix"] = (layer.outputs, layer.inputs), dtype
                shapes[f"{kind}/{network}/{index}/bias"] = (layer.outputs,), dtype
    shapes["range/minimum"] = (config.slots,), np.int32
    shapes["range/maximum"] = (config.slots,), np.int32
    shapes["bits"] = (), np.int64  # of the codes; 0: full precision
    shapes["power"] = (4,), np.int64  # p1, p2 of the actor, p1, p2 of the critic
    shapes["noise"] = (), np.uint64  # state of the generator
    shapes["counters"] = (len(COUNTERS),), np.int64
    return shapes


def initial_state(config: FixarConfig, networks: Networks, seed: int = 0) -> dict[str, np.ndarray]:
    """State before anything was learned: no weights, no ranges; ``seed`` is the exploration noise's, 64 bits."""
    state = {name: np.zeros(shape, dtype) for name, (shape, dtype) in state_shapes(config, networks).items()}
    state["power"][:] = ONE
    state["noise"] = np.array(state_from_seed(seed), np.uint64)
    return state


def check_state(state: Mapping[str, np.ndarray], config: FixarConfig, networks: Networks) -> None:
    """Raises ValueError where a state is not one of this configuration and these networks."""
    shapes = state_shapes(config, networks)
    missing = [name for name in shapes if name not in state]
    unknown = [name for name in state if name not in shapes]
    if missing or unknown:
        difference = f"it lacks {missing[0]}" if missing else f"it has {unknown[0]}"
        raise ValueError(f"State is not one of configuration {config.name} and these networks: {difference}")
    for name, (shape, _) in shapes.items():
        if np.shape(state[name]) != shape:
            raise ValueError(f"State's {name} must have shape {shape}, not {np.shape(state[name])}")
    bits = int(state["bits"])
    if bits and not 8 <= bits <= 16:
        raise ValueError(f"State's bits must be 0 or 8 to 16, not {bits}")


def to_words(what: str, values: ArrayLike, fraction: int, shape: tuple[int, ...]) -> IntegerArray:
    """int64 words of finite real numbers in the range of 32 bits; ValueError for all others."""
    array = np.asarray(values, np.float64)
    if array.shape != shape:
        raise ValueError(f"{what} must have shape {shape}, not {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite, not {array[~np.isfinite(array)].flat[0]}")
    words = np.floor(array * 2.0**fraction + 0.5)
    outside = (words < -(2.0**31)) | (words >= 2.0**31)
    if outside.any():
        limit = 2 ** (31 - fraction)
        raise ValueError(f"{what} must be from -{limit} to below {limit}, not {array[outside].flat[0]}")
    return words.astype(np.int64)


def observations_to_words(config: FixarConfig, networks: Networks, observations: ArrayLike) -> IntegerArray:
    """Words of rows of observations."""
    array = np.asarray(observations, np.float64)
    count = array.shape[0] if array.ndim == 2 else 0
    if not count:
        raise ValueError(f"Observations must be rows of {networks.observation_size}, not an array {array.shape}")
    return to_words("Observations", array, config.activation_fraction, (count, networks.observation_size))


def with_parameters(
    state: Mapping[str, np.ndarray],
    config: FixarConfig,
    networks: Networks,
    network: str,
    matrices: Sequence[ArrayLike],
    biases: Sequence[ArrayLike],
) -> dict[str, np.ndarray]:
    """A copy of the state with other weights of one network, from real numbers.

    The first matrix of an actor has a column an observation; the device's columns for the action become zero.
    """
    state = dict(state)
    for index, layer in enumerate(networks.layers(network)):
        shape = layer.outputs, layer.inputs - layer.first
        what = f"Layer {index} of the {network.replace('_', ' ')}"
        matrix = np.zeros((layer.outputs, layer.inputs), np.int32)
        matrix[:, layer.first :] = to_words(f"{what}: weights", matrices[index], config.weight_fraction, shape)
        bias = to_words(f"{what}: biases", biases[index], config.weight_fraction, (layer.outputs,))
        state[f"weight/{network}/{index}/matrix"] = matrix
        state[f"weight/{network}/{index}/bias"] = bias.astype(np.int32)
    return state


def parameters_of(
    state: Mapping[str, np.ndarray], config: FixarConfig, networks: Networks, network: str
) -> tuple[list[RealArray], list[RealArray]]:
    """``(matrices, biases)`` of one network as real numbers; the reverse of :func:`with_parameters`."""
    scale = 2.0**-config.weight_fraction
    matrices, biases = [], []
    for index, layer in enumerate(networks.layers(network)):
        matrices.append(state[f"weight/{network}/{index}/matrix"][:, layer.first :] * scale)
        biases.append(state[f"weight/{network}/{index}/bias"] * scale)
    return matrices, biases


class Transitions:
    """A batch as words.

    Parameters
    ----------
    config : FixarConfig
    networks : Networks
    batch : LearnerBatch
    """

    def __init__(self, config: FixarConfig, networks: Networks, batch: LearnerBatch):
        count = len(np.asarray(batch.rewards))
        limit = config.batch_limit
        if not 1 <= count <= limit:
            raise ValueError(f"Batch must be from 1 to {limit} in configuration {config.name}, not {count}")
        fraction = config.activation_fraction
        observations = (count, networks.observation_size)
        self.observations = to_words("Observations", batch.observations, fraction, observations)
        self.actions = to_words("Actions", batch.actions, fraction, (count, networks.action_size))
        self.rewards = to_words("Rewards", np.reshape(batch.rewards, -1), fraction, (count,))
        self.discounts = to_words("Discounts", np.reshape(batch.discounts, -1), fraction, (count,))
        self.next_observations = to_words("Next observations", batch.next_observations, fraction, observations)

    def __len__(self) -> int:
        return len(self.rewards)
