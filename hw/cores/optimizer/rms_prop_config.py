"""Configuration of RMSprop. No Amaranth here."""

from dataclasses import dataclass

from ..float.config import FloatLaneConfig
from .float_lane_config import FloatOptimizer

__all__ = ["RATES", "RMS_PROP", "RMSpropConfig"]

# ``epsilon`` keeps the divisor from zero.
RMS_PROP = FloatOptimizer(state=("square",), rates=("decay", "one_minus_decay", "learning_rate", "epsilon"))
RATES = RMS_PROP.rates


@dataclass(frozen=True, kw_only=True)
class RMSpropConfig(FloatLaneConfig):
    """Formats of one lane of RMSprop: weights, mean squares and gradients. Parameters are those of the base."""
