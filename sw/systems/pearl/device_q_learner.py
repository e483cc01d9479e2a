"""DQN's gradient step on a learner in hardware, or its bit-exact reference."""

import numpy as np

from ....hw.soc.pearl.dqn_learner_config import PearlDQNLearnerConfig
from ...algorithms.dqn_config import DQNConfig
from ...algorithms.policies import forward
from ...algorithms.replay_buffer import Batch
from ...networks.user_network import OwnNetwork
from .device_networks import DeviceNetworks, initial_matrices, matrices_of, require_network, samples_of
from .learner_backends import LearnerBackend
from .learner_driver import DQNLearnerDevice

__all__ = ["DeviceQLearner", "require_suitable"]


def require_suitable(hardware: PearlDQNLearnerConfig, observation_size: int, actions: int, config: DQNConfig) -> None:
    """Refuses hyper-parameters that a learner in hardware does not have.

    Raises
    ------
    ValueError
        The first of them: its value and the learner's.
    """
    require_network(hardware, "", (observation_size, *config.hidden_sizes, actions))
    for name, value in (("loss", hardware.loss), ("double_q", False), ("max_grad_norm", np.inf)):
        if getattr(config, name) != value:
            raise ValueError(f"{name} must be {value} with learner {hardware.name}, not {getattr(config, name)}")


class DeviceQLearner(DeviceNetworks):
    """The interface of :class:`.QLearner`; the host computes values of actions alone, with the learner's weights.

    Parameters
    ----------
    config
        Hyper-parameters, which `require_suitable` takes.
    seed
        Seed of the first weights.
    backend
        Where the learner is.
    layers
        First weights (outputs x inputs) and biases instead.
    """

    device: DQNLearnerDevice

    def __init__(self, config: DQNConfig, seed: int, backend: LearnerBackend, layers: OwnNetwork | None = None):
        self.config = config
        if layers is None:
            matrices = initial_matrices(backend.config, np.random.default_rng(seed))
        else:
            matrices = [matrices_of(layers)]
        super().__init__(DQNLearnerDevice(backend, *matrices))

    def values(self, observations: np.ndarray) -> np.ndarray:
        """Value of every action, float32, shape (rows, actions)."""
        return forward(self.weights(), observations)

    def act(self, observations: np.ndarray) -> np.ndarray:
        """Numbers of the actions of the greatest value, int64."""
        return self.values(observations).argmax(1)

    def train(self, batch: Batch, step: int) -> np.ndarray:
        """One gradient step after that many environment steps; absolute temporal-difference errors, shape (batch,)."""
        self._weights = None
        samples = samples_of(batch, self.config.gamma)
        return self.device.step(samples, self.config.learning_rate_at(step))

    def update_target(self) -> None:
        """Copy the online network."""
        self.device.copy_to_target()
