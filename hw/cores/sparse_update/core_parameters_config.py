"""Configuration of the parameters of a core. No Amaranth here."""

from dataclasses import dataclass, field

from ..checks import require_integer, require_kind
from .weight_update_config import WeightUpdateConfig

__all__ = ["CoreParametersConfig"]


@dataclass(frozen=True, kw_only=True)
class CoreParametersConfig:
    """Dimensions of the parameters of a core, their update, and the biases' way out.

    Parameters
    ----------
    update : WeightUpdateConfig
        Its format is that of the parameters, ``gradient_format`` that in which others read them.
    scalars : int
        Rows of the memory that gets the biases (2 to 2^20).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; a parameter latency of the sparse data with no time for the
        conversion, or with more than it takes.
    """

    update: WeightUpdateConfig = field(default_factory=WeightUpdateConfig)
    scalars: int = 1024

    def __post_init__(self):
        require_kind("Update", self.update, WeightUpdateConfig)
        require_integer("Scalars", self.scalars, 2, 1 << 20)
        latency = self.update.sparse.parameter_latency
        if (latency > 1) != self.update.converts:
            raise ValueError(f"Parameter latency must be {'more than ' * self.update.converts}1, not {latency}")

    @property
    def conversion_depth(self):
        """Cycles of the conversion of a parameter."""
        return self.update.sparse.parameter_latency - 1
