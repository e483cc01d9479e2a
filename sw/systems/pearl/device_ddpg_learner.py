"""DDPG's gradient step on a learner in hardware, or its bit-exact reference."""

import numpy as np

from ....hw.soc.pearl.ddpg_learner_config import PearlDDPGLearnerConfig
from ...algorithms.actor_critic_config import PrioritizedDDPGConfig
from ...algorithms.first_layers import FirstLayers
from ...algorithms.policies import forward
from ...algorithms.replay_buffer import Batch
from .device_networks import DeviceNetworks, initial_matrices, matrices_of, require_network, samples_of
from .learner_backends import LearnerBackend
from .learner_driver import DDPGLearnerDevice

__all__ = ["DeviceDDPGLearner", "require_suitable"]


def require_suitable(
    hardware: PearlDDPGLearnerConfig, observation_size: int, action_size: int, config: PrioritizedDDPGConfig
) -> None:
    """Refuses networks that a learner in hardware does not have, and a learner whose loss is not DDPG's.

    Raises
    ------
    ValueError
        The text names what is asked for and what the learner has.
    """
    require_network(hardware, "actor", (observation_size, *config.hidden_sizes, action_size))
    require_network(hardware, "critic", (observation_size + action_size, *config.critic_sizes, 1))
    if hardware.loss != "squared":
        raise ValueError(f"Learner {hardware.name} must have the loss squared, not {hardware.loss}")


class DeviceDDPGLearner(DeviceNetworks):
    """The interface of :class:`.DDPGLearner`; the host computes actions alone, with the learner's weights.

    Both networks' gradients are those of the weights before the step; :class:`.DDPGLearner` updates the critic first.

    Parameters
    ----------
    config
        Hyper-parameters, which `require_suitable` takes.
    seed
        Seed of the first weights.
    backend
        Where the learner is.
    first
        First weights of the user's instead.
    """

    device: DDPGLearnerDevice

    def __init__(
        self, config: PrioritizedDDPGConfig, seed: int, backend: LearnerBackend, first: FirstLayers | None = None
    ):
        self.config = config
        actor, critic = initial_matrices(backend.config, np.random.default_rng(seed))
        if first is not None and first.actor is not None:
            actor = matrices_of(first.actor)
        if first is not None and first.critics:
            critic = matrices_of(first.critics[0])
        super().__init__(DDPGLearnerDevice(backend, actor, critic))

    def act(self, observations: np.ndarray) -> np.ndarray:
        """The actor's actions in [-1, 1], float32."""
        return np.tanh(forward(self.weights(), observations))

    def train(self, batch: Batch, step: int) -> np.ndarray:
        """One gradient step of both networks; absolute temporal-difference errors, float32, shape (batch,).

        Parameters
        ----------
        batch
            As of :class:`.DDPGLearner`.
        step
            Nothing depends on it.
        """
        self._weights = None
        config = self.config
        samples = samples_of(batch, config.gamma)
        return self.device.step(samples, config.learning_rate, config.critic_rate, config.tau)
