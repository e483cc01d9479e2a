"""Configuration of RMSprop. No Amaranth here."""

from dataclasses import dataclass

from ..float.config import FloatLaneConfig

__all__ = ["RATES", "RMSpropConfig"]

# What the update takes besides numbers of its own: what a mean square keeps, the rest to one, the step, and what keeps
# the divisor from zero.
RATES = ("alpha", "rest", "rate", "epsilon")


@dataclass(frozen=True, kw_only=True)
class RMSpropConfig(FloatLaneConfig):
    """What one lane of RMSprop computes in: weights, mean squares and gradients. Parameters are those of the base."""
