"""The base of all learners' configurations, as data. No Amaranth here."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from enum import IntEnum
from typing import ClassVar

from ..graph.config import GraphConfig
from ..layer.config import NetworkConfig
from ..layer.update_stage_config import UpdateStageConfig

__all__ = ["LearnerCommand", "LearnerConfig"]


class LearnerCommand(IntEnum):
    """Kinds of commands to a learner."""

    STEP = 1
    LOAD = 2
    STORE = 3
    FOLLOW = 4


class LearnerConfig(ABC):
    """Base of learners' configurations: what engines, devices and drivers have to know of each.

    A network that is trained has a name; a single one has an empty name.
    """

    # Operands of a step besides the number of samples: their bits.
    OPERANDS: ClassVar[Mapping[str, int]] = {}

    @property
    def settings(self) -> dict[str, str]:
        """Numbers that a step takes besides samples and rates, each by its name with its description."""
        return {}

    @property
    def follows(self) -> bool:
        """Whether targets follow networks that a host has loaded, when it says so."""
        return False

    @property
    @abstractmethod
    def networks(self) -> Mapping[str, NetworkConfig | GraphConfig]:
        """Networks that are trained."""

    @property
    @abstractmethod
    def optimizers(self) -> Mapping[str, tuple[UpdateStageConfig, ...]]:
        """The optimiser of each layer of each network."""

    @property
    @abstractmethod
    def sample_rows(self) -> int:
        """Rows of the stream of samples that one takes."""

    @property
    def result_rows(self) -> int:
        """Rows of the stream of results that a sample makes."""
        return 1

    @staticmethod
    def name_in(network: str, what: str) -> str:
        """The name of something that each network has: in array names, in registers, and at the learner."""
        return f"{network}_{what}" if network else what

    @property
    def rates(self) -> dict[str, tuple[str, ...]]:
        """Rates that a step of each network's optimiser takes, by name; optimisers without rates are left out."""
        found = {network: updates[0].algorithm.rates for network, updates in self.optimizers.items()}
        return {network: rates for network, rates in found.items() if rates}
