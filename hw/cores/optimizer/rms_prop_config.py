"""Configuration of RMSprop. No Amaranth here."""

from dataclasses import dataclass

from ..float.config import FloatLaneConfig

__all__ = ["RMSpropConfig"]


@dataclass(frozen=True, kw_only=True)
class RMSpropConfig(FloatLaneConfig):
    """What one lane of RMSprop computes in: weights, mean squares and gradients. Parameters are those of the base."""
