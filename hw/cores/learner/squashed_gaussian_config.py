"""Configuration of policies that draw actions. No Amaranth here."""

import math
from dataclasses import dataclass

from ..attention.config import sequential_sum_cycles
from ..checks import require_integer, require_kind
from ..float.config import FloatLaneConfig
from ..layer.config import BINARY32_LANE, LARGEST_LAYER

__all__ = ["DENSITY_CONSTANT", "HIGHEST_LOGARITHM", "LOWEST_LOGARITHM", "SquashedGaussianConfig"]

# Between which the logarithm of a standard deviation is kept.
LOWEST_LOGARITHM, HIGHEST_LOGARITHM = -20.0, 2.0

# The constant part of the logarithm of an element's density: of the squashing, and of the normal distribution.
DENSITY_CONSTANT = 2 * math.log(2) + math.log(2 * math.pi) / 2


@dataclass(frozen=True, kw_only=True)
class SquashedGaussianConfig:
    """A policy whose actions are hyperbolic tangents of normally distributed numbers.

    Parameters
    ----------
    actions : int
        Elements of an action; a network gives a mean and the logarithm of a standard deviation for each (1 to 2048).
    arithmetic : FloatLaneConfig
        Format, and stages of adders and multipliers.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    actions: int
    arithmetic: FloatLaneConfig = BINARY32_LANE

    def __post_init__(self):
        require_integer("Actions", self.actions, 1, LARGEST_LAYER // 2)
        require_kind("Arithmetic", self.arithmetic, FloatLaneConfig)

    @property
    def cycles(self) -> int:
        """Cycles of a sample: means and logarithms come one a cycle, and logarithms of densities are added up."""
        return max(2 * self.actions, sequential_sum_cycles(self.arithmetic, self.actions))
