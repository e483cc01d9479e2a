"""Configuration of a replay device. No Amaranth here."""

import dataclasses
from dataclasses import dataclass

from ...cores.replay.config import SumTreeConfig
from ...cores.replay.records import ROW_WIDTH
from ..shell.config import ShellConfig, configuration_hash
from .instructions import INSTRUCTION_SET
from .rows import ROWS

__all__ = ["PearlConfig"]


@dataclass(frozen=True, kw_only=True)
class PearlConfig(SumTreeConfig):
    """Configuration of a replay device: that of its sum tree, by name.

    Parameters
    ----------
    name : str
        Name of the preset; not part of the hardware.
    system : str
        ``"pearl"``.

    The others are those of :class:`~rewardware.hw.cores.replay.config.SumTreeConfig`, as are the errors.
    """

    name: str = "custom"
    system: str = "pearl"

    @property
    def tree(self) -> SumTreeConfig:
        """The sum tree alone."""
        return SumTreeConfig(**{field.name: getattr(self, field.name) for field in dataclasses.fields(SumTreeConfig)})

    @property
    def shell(self) -> ShellConfig:
        """Configuration of the shell around the engine."""
        return ShellConfig(
            system_id="PRL1",
            configuration_hash=self.configuration_hash,
            instruction_set=INSTRUCTION_SET,
            stream_width=ROW_WIDTH * self.lanes,
            instruction_depth=16,
            rows=ROWS,
        )

    @property
    def extent(self) -> str:
        """Size of the device in words for people."""
        side_by_side = f", {self.lanes} samples side by side" if self.lanes > 1 else ""
        return f"{self.leaves} priorities, fanout {self.fanout}{side_by_side}"

    @property
    def configuration_hash(self) -> int:
        """32 bits over everything that the hardware is made from."""
        return configuration_hash({"tree": self.tree, "instructions": INSTRUCTION_SET.describe()})
