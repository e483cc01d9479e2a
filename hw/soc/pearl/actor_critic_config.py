"""The base of the configurations of learners of an actor and critics as devices. No Amaranth here."""

from dataclasses import dataclass

from ...cores.layer.config import NetworkConfig
from ..sequencer.instructions import InstructionSet
from .learner_config import PearlLearnerConfig
from .learner_instructions import ACTOR_CRITIC_INSTRUCTION_SET

__all__ = ["PearlActorCriticLearnerConfig"]


@dataclass(frozen=True, kw_only=True)
class PearlActorCriticLearnerConfig(PearlLearnerConfig):
    """The base of the configurations of learners of an actor and critics as devices.

    Parameters
    ----------
    actor_sizes : tuple of int
        Elements of an observation, then outputs of each layer.
    actor_units : tuple of int
        UF of each layer of the actor: multiplier and adder pairs of each of its stages.
    critic_sizes : tuple of int
        Elements of observation and action, then outputs of each layer, the last being 1; of every critic.
    critic_units : tuple of int
        UF of each layer of a critic.
    loss : str
        A critic's, of the temporal-difference error: ``"huber"`` (threshold 1) or ``"squared"`` (half the square).

    The others are those of :class:`.PearlLearnerConfig`, as are the errors.
    """

    actor_sizes: tuple[int, ...]
    actor_units: tuple[int, ...]
    critic_sizes: tuple[int, ...]
    critic_units: tuple[int, ...]
    loss: str = "squared"

    def __post_init__(self):
        for name in ("actor_sizes", "actor_units", "critic_sizes", "critic_units"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        _ = self.learner

    @property
    def instruction_set(self) -> InstructionSet:
        """Instructions of programs."""
        return ACTOR_CRITIC_INSTRUCTION_SET

    @property
    def critic(self) -> NetworkConfig:
        """Every critic."""
        return NetworkConfig(sizes=self.critic_sizes, units=self.critic_units, arithmetic=self.arithmetic)
