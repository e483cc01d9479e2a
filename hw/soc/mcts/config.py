"""Configuration of a search device. No Amaranth here."""

import dataclasses
from dataclasses import dataclass

from ...cores.tree.config import TreeConfig

__all__ = ["MCTSConfig"]


@dataclass(frozen=True, kw_only=True)
class MCTSConfig(TreeConfig):
    """Configuration of a search device: that of its tree, by name.

    Parameters
    ----------
    name : str
        Of the preset; not part of the hardware.
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
