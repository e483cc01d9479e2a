"""Configuration of RMSprop. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer
from ..float.config import BINARY16, FloatFormat, find_format

__all__ = ["RMSpropConfig"]


@dataclass(frozen=True, kw_only=True)
class RMSpropConfig:
    """What one lane of RMSprop computes in.

    Parameters
    ----------
    format : FloatFormat or str
        Of weights, mean squares and gradients.
    adder_depth, multiplier_depth : int
        Register stages, 1 to 6.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    format: FloatFormat = BINARY16
    adder_depth: int = 4
    multiplier_depth: int = 3

    def __post_init__(self):
        object.__setattr__(self, "format", find_format(self.format))
        require_integer("Adder depth", self.adder_depth, 1, 6)
        require_integer("Multiplier depth", self.multiplier_depth, 1, 6)
