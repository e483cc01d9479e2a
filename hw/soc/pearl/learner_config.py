"""Configuration of learners as devices. No Amaranth here."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...cores.layer.config import LayerConfig, NetworkConfig
from ...cores.layer.learner_config import DDPGLearnerConfig, DQNLearnerConfig
from ...cores.optimizer.float_lane_config import FLOAT_OPTIMIZERS
from ..bus.registers import Access, Register
from ..sequencer.instructions import InstructionSet
from ..shell.config import ShellConfig, configuration_hash
from .learner_records import ROW_WIDTH

__all__ = ["LearnerArray", "PearlLearnerConfig"]

# What an optimiser's step takes, by the names of :class:`...cores.optimizer.float_lane_config.FloatOptimizer`.
RATES = {
    "first_keep": "Adam: share of a first moment that stays.",
    "first_rest": "Adam: 1 - first_keep.",
    "second_keep": "Adam: share of a second moment that stays.",
    "second_rest": "Adam: 1 - second_keep.",
    "rate": "Step size; of Adam with the correction of the moments' bias.",
    "epsilon": "Adam: added to the root of the second moment, with the correction of its bias.",
}


@dataclass(frozen=True)
class LearnerArray:
    """Numbers that a learner has for each weight of a network.

    Parameters
    ----------
    network : int
        Whose they are, a place in the configuration's ``networks``.
    kind : str
        One of the core's ``arrays``.
    layers : tuple of LayerConfig
        Of the network.
    """

    network: int
    kind: str
    layers: tuple[LayerConfig, ...]

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """Rows, the biases' included, and outputs of each layer."""
        return tuple((layer.rows, layer.outputs) for layer in self.layers)

    @property
    def numbers(self) -> int:
        """Of all layers."""
        return sum(rows * outputs for rows, outputs in self.shapes)


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
        Of the preset; not part of the hardware.

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
    @abstractmethod
    def networks(self) -> dict[str, NetworkConfig]:
        """Networks that are trained, by name; of a single one the name is empty."""

    @property
    @abstractmethod
    def observations(self) -> int:
        """Numbers of an observation."""

    @property
    @abstractmethod
    def action_rows(self) -> int:
        """Rows of a sample's action that are its own: one for each number, none for an action's place in a list."""

    @property
    @abstractmethod
    def waiting_samples(self) -> int:
        """Samples from the first stage to the loss, whose observations are taken and the rest not yet."""

    def name_in(self, network: str, what: str) -> str:
        """Of something that each network has: in array names, in registers, and at the core."""
        return f"{network}_{what}" if network else what

    @property
    def arrays(self) -> dict[str, LearnerArray]:
        """All arrays, in the order of their places in instructions."""
        return {
            self.name_in(name, kind): LearnerArray(place, kind, network.layers)
            for place, (name, network) in enumerate(self.networks.items())
            for kind in self.learner.arrays
        }

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
    def sample_rows(self) -> int:
        """Rows of the stream that a sample takes."""
        return self.observations + self.action_rows + 2

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
