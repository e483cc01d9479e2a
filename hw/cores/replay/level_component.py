"""The base of the parts of a sum tree's level."""

from ..component import ConfiguredComponent
from .config import SumTreeConfig

__all__ = ["LevelComponent"]


class LevelComponent(ConfiguredComponent):
    """A part of a level, through which a request goes in ``latency`` cycles; base of the parts.

    Parameters
    ----------
    config : SumTreeConfig
    level : int
        0 is the root's.
    signature : dict
        The members.
    """

    def __init__(self, config: SumTreeConfig, level: int, signature):
        self._level = level
        super().__init__(config, signature)

    @property
    def level(self):
        """Its number."""
        return self._level

    @property
    def latency(self):
        """Cycles from ``arriving`` to ``leaving``."""
        return self._config.level_latency(self._level)
