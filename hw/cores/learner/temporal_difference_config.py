"""Configuration of the temporal-difference loss. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer, require_kind, require_name
from ..float.config import FloatLaneConfig
from ..layer.config import BINARY32_LANE, LARGEST_LAYER

__all__ = ["LOSSES", "TemporalDifferenceConfig"]

LOSSES = ("huber", "squared")


@dataclass(frozen=True, kw_only=True)
class TemporalDifferenceConfig:
    """The loss of a network's values against those of its target network one step later.

    Parameters
    ----------
    values : int
        Outputs of the network: a value for each action, or the one value of a critic (1 to 4096).
    loss : str
        ``"huber"`` (threshold 1) or ``"squared"`` (half the square), of the temporal-difference error.
    arithmetic : FloatLaneConfig
        Format, and stages of adder and multiplier.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    values: int
    loss: str = "huber"
    arithmetic: FloatLaneConfig = BINARY32_LANE

    def __post_init__(self):
        require_integer("Values", self.values, 1, LARGEST_LAYER)
        require_name("Loss", self.loss, LOSSES)
        require_kind("Arithmetic", self.arithmetic, FloatLaneConfig)

    @property
    def cycles(self) -> int:
        """Cycles a sample: a value a cycle comes in, and one is for the sample as a whole."""
        return self.values + 1
