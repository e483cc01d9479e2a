"""SAC's gradient step on a learner in hardware, or its bit-exact reference."""

import math

import numpy as np
import torch

from ....hw.soc.pearl.sac_learner_config import PearlSACLearnerConfig
from ...algorithms.actor_critic_config import PrioritizedSACConfig
from ...algorithms.first_layers import FirstLayers
from ...algorithms.policies import forward
from ...algorithms.replay_buffer import Batch
from ...networks.initialization import initial_layers
from ...reference.learner.sac_learner import SACBatch
from .device_networks import DeviceNetworks, matrices_of, require_network, samples_of
from .learner_backends import LearnerBackend
from .learner_driver import SACLearnerDevice

__all__ = ["DeviceSACLearner", "require_suitable"]


def require_suitable(
    hardware: PearlSACLearnerConfig, observation_size: int, action_size: int, config: PrioritizedSACConfig
) -> None:
    """Refuses networks that a learner in hardware does not have, and a learner whose loss is not SAC's.

    Raises
    ------
    ValueError
        The text names what is asked for and what the learner has.
    """
    require_network(hardware, "actor", (observation_size, *config.hidden_sizes, 2 * action_size))
    require_network(hardware, "critic_1", (observation_size + action_size, *config.critic_sizes, 1))
    if hardware.loss != "squared":
        raise ValueError(f"Learner {hardware.name} must have the loss squared, not {hardware.loss}")


class DeviceSACLearner(DeviceNetworks):
    """The interface of :class:`.SACLearner`; the host computes actions alone, with the learner's weights, and draws the
    noise of the learner's own actions.

    All gradients are those of the weights before the step; :class:`.SACLearner` updates the temperature and the critics
    first.

    Parameters
    ----------
    config
        Hyper-parameters, which `require_suitable` takes.
    seed
        Seed of the first weights, and of the noise.
    backend
        Where the learner is.
    first
        First weights of the user's instead.
    """

    device: SACLearnerDevice

    def __init__(
        self, config: PrioritizedSACConfig, seed: int, backend: LearnerBackend, first: FirstLayers | None = None
    ):
        self.config = config
        generator, networks = np.random.default_rng(seed), backend.config.networks
        actor, *critics = (
            matrices_of(initial_layers(networks[name].sizes, generator)) for name in ("actor", "critic_1", "critic_2")
        )
        if first is not None and first.actor is not None:
            actor = matrices_of(first.actor)
        if first is not None and first.critics:
            critics = [matrices_of(critic) for critic in first.critics]
        logarithm = [np.full((1, 1), math.log(config.temperature))]
        super().__init__(SACLearnerDevice(backend, actor, *critics, logarithm))
        self.action_size = backend.config.learner.actions
        self.target_entropy = -float(self.action_size) if config.target_entropy is None else config.target_entropy
        # PyTorch's, so that it is the noise of the learner there.
        self._noise = torch.Generator().manual_seed(seed)

    def act(self, observations: np.ndarray) -> np.ndarray:
        """Means of the actor's distributions, in [-1, 1], float32."""
        return np.tanh(forward(self.weights(), observations)[:, : self.action_size])

    def train(self, batch: Batch, step: int) -> np.ndarray:
        """One gradient step of all networks; mean absolute temporal-difference errors, float32, shape (batch,).

        Parameters
        ----------
        batch
            As of :class:`.SACLearner`.
        step
            Nothing depends on it.
        """
        self._weights = None
        config, samples = self.config, samples_of(batch, self.config.gamma)
        noises, next_noises = (self._draw(len(samples)) for _ in range(2))
        drawn = SACBatch(**vars(samples), noises=noises, next_noises=next_noises)
        return self.device.step(drawn, config.learning_rate, config.critic_rate, config.tau, self.target_entropy)

    def save(self) -> dict[str, np.ndarray]:
        """Everything that training changes, as arrays by name."""
        return {**super().save(), "noise": self._noise.get_state().numpy().copy()}

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        self._noise.set_state(torch.from_numpy(np.array(state["noise"])))
        super().load(state)

    def _draw(self, samples: int) -> np.ndarray:
        """Standard normal numbers."""
        return torch.randn((samples, self.action_size), generator=self._noise).numpy()
