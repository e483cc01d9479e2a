"""Configuration of a learner of action values as a device. No Amaranth here."""

from dataclasses import dataclass
from typing import ClassVar

from ...cores.layer.config import NetworkConfig
from ...cores.learner.learner_config import DQNLearnerConfig
from ..sequencer.instructions import InstructionSet
from .learner_config import PearlLearnerConfig
from .learner_instructions import DQN_INSTRUCTION_SET

__all__ = ["PearlDQNLearnerConfig"]


@dataclass(frozen=True, kw_only=True)
class PearlDQNLearnerConfig(PearlLearnerConfig):
    """Configuration of a learner of action values as a device.

    Parameters
    ----------
    sizes : tuple of int
        Inputs of the network, then outputs of each layer, of the last one an action's value each.
    units : tuple of int
        UF of each layer: multiplier and adder pairs of each of its stages.
    loss : str
        ``"huber"`` (threshold 1) or ``"squared"`` (half the square), of the TD error.
    system : str
        ``"pearl_learner"``.

    The others are those of :class:`.PearlLearnerConfig`, as are the errors.
    """

    SYSTEM_ID: ClassVar[str] = "PRLL"

    sizes: tuple[int, ...]
    units: tuple[int, ...]
    loss: str = "huber"
    system: str = "pearl_learner"

    def __post_init__(self):
        for name in ("sizes", "units"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        _ = self.learner

    @property
    def instruction_set(self) -> InstructionSet:
        """Instructions of programs."""
        return DQN_INSTRUCTION_SET

    @property
    def learner(self) -> DQNLearnerConfig:
        """The learner alone."""
        return DQNLearnerConfig(
            network=NetworkConfig(sizes=self.sizes, units=self.units, arithmetic=self.arithmetic),
            loss=self.loss,
            optimizer=self.optimizer,
            update_interval=self.update_interval,
        )

    @property
    def extent(self) -> str:
        """Size of the device in words for people."""
        return f"network {'-'.join(map(str, self.sizes))}, units {'-'.join(map(str, self.units))}"
