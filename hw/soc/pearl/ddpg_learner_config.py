"""Configuration of a learner of a deterministic policy as a device. No Amaranth here."""

from dataclasses import dataclass
from typing import ClassVar

from ...cores.layer.config import NetworkConfig
from ...cores.learner.learner_config import DDPGLearnerConfig
from ..sequencer.instructions import InstructionSet
from .learner_config import PearlLearnerConfig
from .learner_instructions import ACTOR_CRITIC_INSTRUCTION_SET

__all__ = ["PearlDDPGLearnerConfig"]


@dataclass(frozen=True, kw_only=True)
class PearlDDPGLearnerConfig(PearlLearnerConfig):
    """Configuration of a learner of a deterministic policy as a device; actions are in [-1, 1].

    Parameters
    ----------
    actor_sizes : tuple of int
        Elements of an observation, then outputs of each layer, the last ones being the elements of an action.
    actor_units : tuple of int
        UF of each layer of the actor: multiplier and adder pairs of each of its stages.
    critic_sizes : tuple of int
        Elements of observation and action, then outputs of each layer, the last being 1.
    critic_units : tuple of int
        UF of each layer of the critic.
    loss : str
        The critic's, of the temporal-difference error: ``"huber"`` (threshold 1) or ``"squared"`` (half the square).
    system : str
        ``"pearl_ddpg_learner"``.

    The others are those of :class:`.PearlLearnerConfig`, as are the errors.
    """

    SYSTEM_ID: ClassVar[str] = "PRLD"

    actor_sizes: tuple[int, ...]
    actor_units: tuple[int, ...]
    critic_sizes: tuple[int, ...]
    critic_units: tuple[int, ...]
    loss: str = "squared"
    system: str = "pearl_ddpg_learner"

    def __post_init__(self):
        for name in ("actor_sizes", "actor_units", "critic_sizes", "critic_units"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        _ = self.learner

    @property
    def instruction_set(self) -> InstructionSet:
        """What programs are made of."""
        return ACTOR_CRITIC_INSTRUCTION_SET

    @property
    def learner(self) -> DDPGLearnerConfig:
        """The learner alone."""
        return DDPGLearnerConfig(
            actor=NetworkConfig(sizes=self.actor_sizes, units=self.actor_units, output_activation="tanh"),
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
            for name, network in self.networks.items()
        )
        return "; ".join(parts)
