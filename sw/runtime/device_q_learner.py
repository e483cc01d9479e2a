"""DQN's gradient step on a learner in hardware, or its bit-exact reference."""

import numpy as np

from ...hw.soc.pearl.learner_config import PearlLearnerConfig
from ..agents.initialization import initial_layers
from ..device.learner import LearnerDevice
from ..device.learner_backends import LearnerBackend
from ..reference.layer.dqn_learner import DQNBatch
from .dqn_config import DQNConfig
from .policies import forward
from .prioritized_replay_buffer import Batch

__all__ = ["DeviceQLearner", "require_suitable"]


def require_suitable(hardware: PearlLearnerConfig, observation_size: int, actions: int, config: DQNConfig) -> None:
    """Refuses hyper-parameters that a learner in hardware does not have.

    Raises
    ------
    ValueError
        The first of them: its value and the learner's.
    """
    sizes = (observation_size, *config.hidden_sizes, actions)
    network, asked = ("-".join(map(str, layers)) for layers in (hardware.sizes, sizes))
    if hardware.sizes != sizes:
        raise ValueError(f"Learner {hardware.name} has a network {network}, not {asked}")
    for name, value in (("loss", hardware.loss), ("double_q", False), ("max_grad_norm", np.inf)):
        if getattr(config, name) != value:
            raise ValueError(f"{name} must be {value} with learner {hardware.name}, not {getattr(config, name)}")


class DeviceQLearner:
    """The interface of :class:`.QLearner`; the host computes values of actions alone, with the learner's weights.

    Parameters
    ----------
    config
        Hyper-parameters, which `require_suitable` takes.
    seed
        Of the first weights.
    backend
        Where the learner is.
    """

    def __init__(self, config: DQNConfig, seed: int, backend: LearnerBackend):
        layers = initial_layers(backend.config.sizes, np.random.default_rng(seed))
        self.config = config
        self.device = LearnerDevice(backend, [np.vstack([matrix.T, bias]) for matrix, bias in layers])
        self._weights: list[np.ndarray] | None = None

    def values(self, observations: np.ndarray) -> np.ndarray:
        """Of every action, float32, shape (rows, actions)."""
        return forward(self.weights(), observations)

    def act(self, observations: np.ndarray) -> np.ndarray:
        """Numbers of the actions of the greatest value, int64."""
        return self.values(observations).argmax(1)

    def weights(self) -> list[np.ndarray]:
        """Of each layer its weights (outputs x inputs) and its biases; fetched once after training."""
        if self._weights is None:
            self._weights = [part for matrix in self.device.weights() for part in (matrix[:-1].T.copy(), matrix[-1])]
        return self._weights

    def prepare(self, batch: Batch) -> Batch:
        """The batch as it is: the learner has the target network."""
        return batch

    def train(self, batch: Batch, step: int) -> np.ndarray:
        """One gradient step after that many environment steps; absolute temporal-difference errors, shape (batch,)."""
        self._weights = None
        data = batch.experiences
        samples = DQNBatch(
            observations=data["observation"],
            actions=data["action"],
            rewards=data["reward"],
            discounts=np.where(data["terminated"], 0, self.config.gamma),
            next_observations=data["next_observation"],
            weights=batch.weights / len(batch.weights),
        )
        return self.device.step(samples, self.config.learning_rate_at(step))

    def update_target(self) -> None:
        """Copy the online network."""
        self.device.copy_to_target()

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
