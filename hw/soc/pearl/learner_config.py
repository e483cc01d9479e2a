"""Configuration of learners as devices. No Amaranth here."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...cores.layer.config import NetworkConfig
from ...cores.learner.learner_config import DDPGLearnerConfig, DQNLearnerConfig
from ...cores.learner.learner_engine_config import LearnerArray, LearnerEngineConfig
from ...cores.learner.learner_records import ROW_WIDTH
from ...cores.optimizer.float_lane_config import FLOAT_OPTIMIZERS
from ..bus.registers import Access, Register
from ..sequencer.instructions import InstructionSet
from ..shell.config import ShellConfig, configuration_hash

__all__ = ["PearlLearnerConfig"]

# What an optimiser's step takes, by the names of :class:`...cores.optimizer.float_lane_config.FloatOptimizer`.
RATES = {
    "beta1": "Adam: share of a first moment that stays.",
    "one_minus_beta1": "Adam: 1 - beta1.",
    "beta2": "Adam: share of a second moment that stays.",
    "one_minus_beta2": "Adam: 1 - beta2.",
    "learning_rate": "Step size; of Adam with the correction of the moments' bias.",
    "epsilon": "Adam: added to the root of the second moment, with the correction of its bias.",
}


@dataclass(frozen=True, kw_only=True)
class PearlLearnerConfig(ABC):
    """What the configurations of all learners as devices share, in binary32.

    Parameters
    ----------
    optimizer : str
        ``"adam"`` or ``"sgd"``.
    update_interval : int
        Cycles from one word of weights to the next in the optimiser's pass (1 to 64).
    name : str
        Name of the preset; not part of the hardware.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    SYSTEM_ID: ClassVar[str]
    INSTRUCTION_SET: ClassVar[InstructionSet]
    # What a step takes besides samples and rates.
    SETTINGS: ClassVar[Mapping[str, str]] = {}

    optimizer: str = "adam"
    update_interval: int = 2
    name: str = "custom"

    @property
    @abstractmethod
    def learner(self) -> DQNLearnerConfig | DDPGLearnerConfig:
        """The learner alone."""

    @property
    def engine(self) -> LearnerEngineConfig:
        """The learner with its engine."""
        return LearnerEngineConfig(learner=self.learner)

    @property
    def networks(self) -> dict[str, NetworkConfig]:
        """Networks that are trained, by name; a single one has an empty name."""
        return self.engine.networks

    def name_in(self, network: str, what: str) -> str:
        """The name of something that each network has: in array names, and in registers."""
        return self.engine.name_in(network, what)

    @property
    def arrays(self) -> dict[str, LearnerArray]:
        """All arrays, in the order of their places in instructions."""
        return self.engine.arrays

    @property
    def observations(self) -> int:
        """Elements of an observation."""
        return self.learner.observations

    @property
    def action_rows(self) -> int:
        """Rows of a sample's action that are its own."""
        return self.engine.action_rows

    @property
    def sample_rows(self) -> int:
        """Rows of the stream that a sample takes."""
        return self.engine.sample_rows

    @property
    def state(self) -> tuple[str, ...]:
        """Arrays that one step leaves to the next."""
        return tuple(name for name, array in self.arrays.items() if array.kind != "gradients")

    @property
    def rates(self) -> tuple[str, ...]:
        """What an optimiser's step takes, by name."""
        return FLOAT_OPTIMIZERS[self.optimizer].rates

    @property
    def registers(self) -> dict[str, str]:
        """What a step takes besides samples, and what it is."""
        rates = {self.name_in(network, rate): RATES[rate] for network in self.networks for rate in self.rates}
        return {**rates, **self.SETTINGS}

    @property
    def shell(self) -> ShellConfig:
        """Configuration of the shell around the engine."""
        return ShellConfig(
            system_id=self.SYSTEM_ID,
            configuration_hash=self.configuration_hash,
            instruction_set=self.INSTRUCTION_SET,
            stream_width=ROW_WIDTH,
            instruction_depth=16,
            registers=tuple(
                Register(name=name, access=Access.READ_WRITE, description=description)
                for name, description in self.registers.items()
            ),
        )

    @property
    def configuration_hash(self) -> int:
        """32 bits over everything that the hardware is made from."""
        return configuration_hash({"learner": self.learner, "instructions": self.INSTRUCTION_SET.describe()})
