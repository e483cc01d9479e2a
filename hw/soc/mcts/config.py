"""Configuration of a search device. No Amaranth here."""

import dataclasses
from dataclasses import dataclass

from ...cores.tree.config import TreeConfig
from ...cores.tree.records import ROW_WIDTH, flit_rows
from ..shell.config import ShellConfig, configuration_hash
from .instructions import INSTRUCTION_SET
from .registers import REGISTERS
from .rows import rows

__all__ = ["MCTSConfig"]


@dataclass(frozen=True, kw_only=True)
class MCTSConfig(TreeConfig):
    """Configuration of a search device: that of its tree, by name.

    Parameters
    ----------
    name : str
        Name of the preset; not part of the hardware.
    system : str
        ``"mcts"``.

    The others are those of :class:`~rewardware.hw.cores.tree.config.TreeConfig`, as are the errors.
    """

    name: str = "custom"
    system: str = "mcts"

    @property
    def tree(self) -> TreeConfig:
        """The tree alone."""
        return TreeConfig(**{field.name: getattr(self, field.name) for field in dataclasses.fields(TreeConfig)})

    @property
    def flit_rows(self) -> int:
        """Rows of the stream that a flit of a node takes."""
        return flit_rows(self)

    @property
    def shell(self) -> ShellConfig:
        """Configuration of the shell around the engine."""
        return ShellConfig(
            system_id="MCTS",
            configuration_hash=self.configuration_hash,
            instruction_set=INSTRUCTION_SET,
            stream_width=ROW_WIDTH,
            instruction_depth=16,
            registers=REGISTERS,
            rows=rows(self),
        )

    @property
    def extent(self) -> str:
        """Size of the device in words for people."""
        return f"{self.nodes} nodes of {self.fanout} children, {self.levels} levels, {self.banks} banks"

    @property
    def configuration_hash(self) -> int:
        """32 bits over everything that the hardware is made from."""
        return configuration_hash({"tree": self.tree, "instructions": INSTRUCTION_SET.describe()})
