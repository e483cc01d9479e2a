"""Configuration of the gradients of the grouping. No Amaranth here."""

from dataclasses import dataclass, field

from ..checks import require_integer
from ..float.config import BINARY16, FloatFormat, find_format
from ..sparse.config import SparseConfig

__all__ = ["GroupingGradientConfig"]


@dataclass(frozen=True, kw_only=True)
class GroupingGradientConfig:
    """Dimensions of what sums the gradients of grouping matrices.

    Parameters
    ----------
    sparse : SparseConfig
        Of the group tables and of the banks of compressed weights; as many lanes sum as there are banks.
    format : FloatFormat or str
        Of weights, gradients and sums; as wide as what is in the banks.
    adder_depth, multiplier_depth : int
        Register stages, 1 to 6. Of each lane's adder every stage has a sum.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    sparse: SparseConfig = field(default_factory=SparseConfig)
    format: FloatFormat = BINARY16
    adder_depth: int = 4
    multiplier_depth: int = 3

    def __post_init__(self):
        if not isinstance(self.sparse, SparseConfig):
            raise TypeError(f"Sparse must be of the kind SparseConfig, not {self.sparse!r}")
        object.__setattr__(self, "format", find_format(self.format))
        if self.format.width != self.sparse.weight_width:
            raise ValueError(f"Format must have {self.sparse.weight_width} bits as the banks, not {self.format.width}")
        require_integer("Adder depth", self.adder_depth, 1, 6)
        require_integer("Multiplier depth", self.multiplier_depth, 1, 6)

    @property
    def block(self):
        """Sums that are under way at once."""
        return self.adder_depth * self.sparse.banks
