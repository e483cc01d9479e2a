"""Configuration of a learner of soft actor-critic as a device. No Amaranth here."""

from dataclasses import dataclass
from typing import ClassVar

from ...cores.layer.config import NetworkConfig
from ...cores.learner.sac_learner_config import SACLearnerConfig
from .actor_critic_config import PearlActorCriticLearnerConfig

__all__ = ["PearlSACLearnerConfig"]


@dataclass(frozen=True, kw_only=True)
class PearlSACLearnerConfig(PearlActorCriticLearnerConfig):
    """Configuration of a learner of soft actor-critic as a device; actions are in (-1, 1).

    Parameters
    ----------
    actor_sizes : tuple of int
        The last outputs of the actor are a mean and a logarithm of a standard deviation for each element of an action.
    system : str
        ``"pearl_sac_learner"``.

    The others are those of :class:`.PearlActorCriticLearnerConfig`, as are the errors.
    """

    SYSTEM_ID: ClassVar[str] = "PRLS"

    system: str = "pearl_sac_learner"

    @property
    def learner(self) -> SACLearnerConfig:
        """The learner alone."""
        return SACLearnerConfig(
            actor=NetworkConfig(sizes=self.actor_sizes, units=self.actor_units, arithmetic=self.arithmetic),
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
            for name, network in (("actor", self.learner.actor), ("two critics", self.learner.critic))
        )
        return "; ".join(parts)
