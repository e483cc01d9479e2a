"""Configuration of sums of words. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_kind
from ..float.config import FloatLaneConfig
from ..layer.config import BINARY32_LANE
from ..layer.running_sums_config import RunningSumsConfig

__all__ = ["WordSumsConfig"]


@dataclass(frozen=True, kw_only=True)
class WordSumsConfig:
    """Sums of words that are multiplied by a number.

    Parameters
    ----------
    width : int
        Numbers of a word (1 to 64).
    depth : int
        Words of sums, at least 1.
    interval : int
        Fewest cycles from one term of a sum to the next (the adder's depth or more).
    arithmetic : FloatLaneConfig
        Format, and stages of each adder and multiplier.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    width: int
    depth: int
    interval: int
    arithmetic: FloatLaneConfig = BINARY32_LANE

    def __post_init__(self):
        require_integer("Width", self.width, 1, 64)
        require_integer("Depth", self.depth, 1)
        require_kind("Arithmetic", self.arithmetic, FloatLaneConfig)
        _ = self.sums

    @property
    def sums(self) -> RunningSumsConfig:
        """The memory of the sums."""
        return RunningSumsConfig(
            depth=max(self.depth, 2), adder_depth=self.arithmetic.adder_depth, interval=self.interval
        )
