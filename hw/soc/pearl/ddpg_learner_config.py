"""Configuration of a learner of a deterministic policy as a device. No Amaranth here."""

from dataclasses import dataclass
from typing import ClassVar

from ...cores.layer.config import NetworkConfig
from ...cores.learner.learner_config import DDPGLearnerConfig
from .actor_critic_config import PearlActorCriticLearnerConfig

__all__ = ["PearlDDPGLearnerConfig"]


@dataclass(frozen=True, kw_only=True)
class PearlDDPGLearnerConfig(PearlActorCriticLearnerConfig):
    """Configuration of a learner of a deterministic policy as a device; actions are in [-1, 1].

    Parameters
    ----------
    actor_sizes : tuple of int
        The last outputs of the actor are the elements of an action.
    system : str
        ``"pearl_ddpg_learner"``.

    The others are those of :class:`.PearlActorCriticLearnerConfig`, as are the errors.
    """

    SYSTEM_ID: ClassVar[str] = "PRLD"

    system: str = "pearl_ddpg_learner"

    @property
    def learner(self) -> DDPGLearnerConfig:
        """The learner alone."""
        return DDPGLearnerConfig(
            actor=NetworkConfig(
                sizes=self.actor_sizes, units=self.actor_units, output_activation="tanh", arithmetic=self.arithmetic
            ),
            critic=self.critic,
            loss=self.loss,
            optimizer=self.optimizer,
            update_interval=self.update_interval,
        )

    @property
    def extent(self) -> str:
        """Size of the device in words for people."""
        parts = (
            f"{name} {'-'.join(map(str, network.sizes))}, units {'-'.join(map(str, network.units))}"
            for name, network in self.networks.items()
        )
        return "; ".join(parts)
