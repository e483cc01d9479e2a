"""Configuration of a learner of soft actor-critic as a device. No Amaranth here."""

from dataclasses import dataclass
from typing import ClassVar

from ...cores.layer.config import NetworkConfig
from ...cores.learner.sac_learner_config import SACLearnerConfig
from ..sequencer.instructions import InstructionSet
from .learner_config import PearlLearnerConfig
from .learner_instructions import ACTOR_CRITIC_INSTRUCTION_SET

__all__ = ["PearlSACLearnerConfig"]


@dataclass(frozen=True, kw_only=True)
class PearlSACLearnerConfig(PearlLearnerConfig):
    """Configuration of a learner of soft actor-critic as a device; actions are in (-1, 1).

    Parameters
    ----------
    actor_sizes : tuple of int
        Elements of an observation, then outputs of each layer, the last ones being a mean and a logarithm of a standard
        deviation for each element of an action.
    actor_units : tuple of int
        UF of each layer of the actor: multiplier and adder pairs of each of its stages.
    critic_sizes : tuple of int
        Elements of observation and action, then outputs of each layer, the last being 1; of both critics.
    critic_units : tuple of int
        UF of each layer of each critic.
    loss : str
        The critics', of the temporal-difference error: ``"huber"`` (threshold 1) or ``"squared"`` (half the square).
    system : str
        ``"pearl_sac_learner"``.

    The others are those of :class:`.PearlLearnerConfig`, as are the errors.
    """

    SYSTEM_ID: ClassVar[str] = "PRLS"

    actor_sizes: tuple[int, ...]
    actor_units: tuple[int, ...]
    critic_sizes: tuple[int, ...]
    critic_units: tuple[int, ...]
    loss: str = "squared"
    system: str = "pearl_sac_learner"

    def __post_init__(self):
        for name in ("actor_sizes", "actor_units", "critic_sizes", "critic_units"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        _ = self.learner

    @property
    def instruction_set(self) -> InstructionSet:
        """What programs are made of."""
        return ACTOR_CRITIC_INSTRUCTION_SET

    @property
    def learner(self) -> SACLearnerConfig:
        """The learner alone."""
        return SACLearnerConfig(
            actor=NetworkConfig(sizes=self.actor_sizes, units=self.actor_units),
            critic=NetworkConfig(sizes=self.critic_sizes, units=self.critic_units),
            loss=self.loss,
            optimizer=self.optimizer,
            update_interval=self.update_interval,
        )

    @property
    def extent(self) -> str:
        """What it computes with and holds, for people."""
        parts = (
            f"{name} {'-'.join(map(str, network.sizes))}, units {'-'.join(map(str, network.units))}"
            for name, network in (("actor", self.learner.actor), ("two critics", self.learner.critic))
        )
        return "; ".join(parts)
