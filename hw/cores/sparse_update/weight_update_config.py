"""Configuration of the update of compressed weights. No Amaranth here."""

from dataclasses import dataclass, field

from ..checks import require_integer, require_interval, require_kind
from ..float.config import BINARY16, MAXIMUM_DEPTH, FloatFormat, find_format
from ..optimizer.rms_prop_config import RMSpropConfig
from ..sparse.config import SparseConfig

__all__ = ["WeightUpdateConfig"]


@dataclass(frozen=True, kw_only=True)
class WeightUpdateConfig:
    """Dimensions of the update of a core's weights.

    Parameters
    ----------
    sparse : SparseConfig
        The words, and the banks that gradients are in.
    rms_prop : RMSpropConfig
        A lane; its format is that of weights and mean squares.
    gradient_format : FloatFormat or str
        As wide as a word of a bank.
    conversion_depth : int
        Register stages of the conversion of gradients, 0 to 6; without effect where both formats are the same.
    interval : int
        Cycles from one word to the next, a divisor of the lanes of a word: ``lanes / interval`` units stand for them.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    sparse: SparseConfig = field(default_factory=SparseConfig)
    rms_prop: RMSpropConfig = field(default_factory=RMSpropConfig)
    gradient_format: FloatFormat = BINARY16
    conversion_depth: int = 2
    interval: int = 1

    def __post_init__(self):
        require_kind("Sparse", self.sparse, SparseConfig)
        require_kind("RMSprop", self.rms_prop, RMSpropConfig)
        object.__setattr__(self, "gradient_format", find_format(self.gradient_format))
        if self.gradient_format.width != self.sparse.weight_width:
            raise ValueError(
                f"Gradient format must have the {self.sparse.weight_width} bits of the banks, "
                f"not {self.gradient_format.width}"
            )
        require_integer("Conversion depth", self.conversion_depth, 0, MAXIMUM_DEPTH)
        require_interval(self.interval, self.sparse.lanes)

    @property
    def lanes(self):
        """Weights of a word."""
        return self.sparse.lanes

    @property
    def converts(self):
        """Whether gradients have another format than the lane."""
        return self.gradient_format != self.rms_prop.format
