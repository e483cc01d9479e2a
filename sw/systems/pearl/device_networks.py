"""Base of algorithms whose gradient steps a learner in hardware takes, or its bit-exact reference."""

import numpy as np

from ....hw.soc.pearl.learner_config import PearlLearnerConfig
from ...algorithms.replay_buffer import Batch
from ...networks.initialization import initial_layers
from ...networks.user_network import OwnNetwork
from ...reference.learner_batch import LearnerBatch
from .learner_driver import LearnerDevice

__all__ = ["DeviceNetworks", "initial_matrices", "matrices_of", "require_network", "samples_of"]


class DeviceNetworks:
    """The networks of a learner's driver.

    Parameters
    ----------
    device
        The learner.
    """

    device: LearnerDevice

    def __init__(self, device: LearnerDevice):
        self.device = device
        self._weights: list[np.ndarray] | None = None

    def weights(self) -> list[np.ndarray]:
        """Weights (outputs x inputs) and biases of each layer of the acting network; fetched once after training."""
        if self._weights is None:
            self._weights = [part for matrix in self.device.weights() for part in (matrix[:-1].T.copy(), matrix[-1])]
        return self._weights

    def prepare(self, batch: Batch) -> Batch:
        """The batch as it is: the learner has the target networks."""
        return batch

    def save(self) -> dict[str, np.ndarray]:
        """Everything that training changes, as arrays by name."""
        return {**self.device.state(), "steps": np.array(self.device.steps)}

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        self._weights = None
        self.device.restore(state, int(state["steps"]))

    def close(self) -> None:
        """Lets go of the device."""
        self.device.close()


def require_network(hardware: PearlLearnerConfig, name: str, sizes: tuple[int, ...]) -> None:
    """Refuses a learner whose network of that name has other layers.

    Raises
    ------
    ValueError
        The layers that it has, and those asked for.
    """
    found = hardware.networks[name].sizes
    if found != sizes:
        network, asked = ("-".join(map(str, layers)) for layers in (found, sizes))
        raise ValueError(f"Learner {hardware.name} has the {name or 'network'} {network}, not {asked}")


def initial_matrices(hardware: PearlLearnerConfig, generator: np.random.Generator) -> list[list[np.ndarray]]:
    """First weights of each network, of each layer of shape (inputs + 1, outputs), the bias as the last row."""
    return [matrices_of(initial_layers(network.sizes, generator)) for network in hardware.networks.values()]


def matrices_of(layers: OwnNetwork) -> list[np.ndarray]:
    """Weights (outputs x inputs) and biases as the learner has them: (inputs + 1, outputs), the last row the bias."""
    assert isinstance(layers, list), "a module has been refused where there is a learner in hardware"
    return [np.vstack([matrix.T, bias]) for matrix, bias in layers]


def samples_of(batch: Batch, gamma: float) -> LearnerBatch:
    """Values of a batch for learners: a discount that is 0 where the episode ended, weights with 1 / batch in them."""
    data = batch.experiences
    return LearnerBatch(
        observations=data["observation"],
        actions=data["action"],
        rewards=data["reward"],
        discounts=np.where(data["terminated"], 0, gamma),
        next_observations=data["next_observation"],
        weights=batch.weights / len(batch.weights),
    )
