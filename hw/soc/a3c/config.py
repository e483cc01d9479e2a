"""Configuration of A3C's device. No Amaranth here."""

import dataclasses
from dataclasses import dataclass

from ...cores.a3c.config import A3CConfig
from ...cores.a3c.host_regions import central_regions, copies_region
from ...cores.a3c.records import row_width
from ...cores.checks import require_multiple
from ...cores.memory.host_map_config import HostMapConfig
from ..shell.config import ShellConfig, configuration_hash
from ..shell.transfer_config import TransferConfig
from .instructions import ADDRESS_WIDTH, INSTRUCTION_SET
from .registers import REGISTERS
from .rows import rows

__all__ = ["A3CSystemConfig"]


@dataclass(frozen=True, kw_only=True)
class A3CSystemConfig(A3CConfig):
    """Configuration of A3C's device: that of its agents and engines, by name.

    Parameters
    ----------
    name : str
        Name of the preset; not part of the hardware.
    system : str
        ``"a3c"``.

    The others are those of :class:`~rewardware.hw.cores.a3c.config.A3CConfig`, as are the errors; a word has a multiple
    of 32 bits here, and room for an action and its reward.
    """

    name: str = "custom"
    system: str = "a3c"

    def __post_init__(self):
        super().__post_init__()
        # A row of the streams is a word.
        require_multiple("Bits of a word", row_width(self), "those of a lane", 32)

    @property
    def agents_config(self) -> A3CConfig:
        """Agents and engines alone."""
        return A3CConfig(**{field.name: getattr(self, field.name) for field in dataclasses.fields(A3CConfig)})

    @property
    def host_map(self) -> HostMapConfig:
        """The memories as the host sees them: words."""
        return HostMapConfig(regions=(*central_regions(self), copies_region(self)))

    @property
    def transfer(self) -> TransferConfig:
        """The engine of loads and stores."""
        return TransferConfig(host=self.host_map, width=row_width(self), address_width=ADDRESS_WIDTH)

    @property
    def shell(self) -> ShellConfig:
        """Configuration of the shell around the engines."""
        return ShellConfig(
            system_id="A3C1",
            configuration_hash=self.configuration_hash,
            instruction_set=INSTRUCTION_SET,
            stream_width=row_width(self),
            instruction_depth=16,
            registers=REGISTERS,
            rows=rows(self),
        )

    @property
    def extent(self) -> str:
        """Size of the device in words for people."""
        sizes = "-".join(map(str, self.sizes))
        engines = f"{self.forward_engines} forward, {self.backward_engines} backward, {self.gradient_engines} gradient"
        return f"{self.agents} agents, {sizes}-({self.actions} | 1), {engines} engines of {self.width}"

    @property
    def configuration_hash(self) -> int:
        """32 bits over everything that the hardware is made from."""
        return configuration_hash({"agents": self.agents_config, "instructions": INSTRUCTION_SET.describe()})
