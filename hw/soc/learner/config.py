"""Configuration of learners as devices. No Amaranth here."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ...cores.checks import require_name
from ...cores.float.config import FORMATS, FloatLaneConfig, find_format
from ...cores.layer.config import BINARY32_LANE
from ...cores.learner.learner_base_config import LearnerConfig
from ...cores.learner.learner_engine_config import LearnerArray, LearnerEngineConfig
from ...cores.learner.learner_records import ROW_WIDTH
from ..bus.registers import Access, Register
from ..sequencer.instructions import InstructionSet
from ..shell.config import ShellConfig, configuration_hash
from ..shell.row_record import RowRecord

__all__ = ["LearnerSystemConfig"]

# Formats that hold Adam's epsilon, 1e-8. In binary16 it is 0, and a weight without a gradient becomes 0 / 0.
LEARNER_FORMATS = tuple(name for name in FORMATS if not name.startswith("binary16"))

# Numbers of an optimiser's step, by the names of :class:`...cores.optimizer.float_lane_config.FloatOptimizer`.
RATES = {
    "beta1": "Adam: share of a first moment that stays.",
    "one_minus_beta1": "Adam: 1 - beta1.",
    "beta2": "Adam: share of a second moment that stays.",
    "one_minus_beta2": "Adam: 1 - beta2.",
    "learning_rate": "Step size; of Adam with the correction of the moments' bias.",
    "epsilon": "Adam: added to the root of the second moment, with the correction of its bias.",
}


@dataclass(frozen=True, kw_only=True)
class LearnerSystemConfig(ABC):
    """The base of the configurations of all learners as devices.

    Parameters
    ----------
    format : str
        The format of all numbers: ``"binary32"``, ``"bfloat16"``, or one of them without subnormal numbers
        (``"bfloat16_flush"``).
    adder_depth, multiplier_depth : int
        Register stages of each adder and multiplier (1 to 7).
    name : str
        Name of the preset; not part of the hardware.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    SYSTEM_ID: ClassVar[str]

    format: str = BINARY32_LANE.format.name
    adder_depth: int = BINARY32_LANE.adder_depth
    multiplier_depth: int = BINARY32_LANE.multiplier_depth
    name: str = "custom"

    @property
    def arithmetic(self) -> FloatLaneConfig:
        """Format, and register stages of each adder and multiplier."""
        require_name("Format", self.format, LEARNER_FORMATS)
        return FloatLaneConfig(
            format=find_format(self.format), adder_depth=self.adder_depth, multiplier_depth=self.multiplier_depth
        )

    @property
    @abstractmethod
    def learner(self) -> LearnerConfig:
        """The learner alone."""

    @property
    @abstractmethod
    def instruction_set(self) -> InstructionSet:
        """Instructions of programs."""

    @property
    @abstractmethod
    def rows(self) -> tuple[RowRecord, ...]:
        """Rows of the streams."""

    @property
    def engine(self) -> LearnerEngineConfig:
        """The learner with its engine."""
        return LearnerEngineConfig(learner=self.learner)

    def name_in(self, network: str, what: str) -> str:
        """The name of something that each network has: in array names, and in registers."""
        return self.learner.name_in(network, what)

    @property
    def arrays(self) -> dict[str, LearnerArray]:
        """All arrays, in the order of their places in instructions."""
        return self.engine.arrays

    @property
    def state(self) -> tuple[str, ...]:
        """Arrays that one step leaves to the next."""
        return tuple(name for name, array in self.arrays.items() if array.kind != "gradients")

    @property
    def registers(self) -> dict[str, str]:
        """Numbers that a step takes besides samples, each by its name with its description."""
        learner = self.learner
        rates = {self.name_in(network, rate): RATES[rate] for network, rates in learner.rates.items() for rate in rates}
        return {**rates, **learner.settings}

    @property
    def shell(self) -> ShellConfig:
        """Configuration of the shell around the engine."""
        return ShellConfig(
            system_id=self.SYSTEM_ID,
            configuration_hash=self.configuration_hash,
            instruction_set=self.instruction_set,
            stream_width=ROW_WIDTH,
            instruction_depth=16,
            registers=tuple(
                Register(name=name, access=Access.READ_WRITE, description=description)
                for name, description in self.registers.items()
            ),
            rows=self.rows,
        )

    @property
    def configuration_hash(self) -> int:
        """32 bits over everything that the hardware is made from."""
        return configuration_hash({"learner": self.learner, "instructions": self.instruction_set.describe()})
