"""Configuration of the gradients of the grouping. No Amaranth here."""

from dataclasses import dataclass, field

from ..checks import require_kind
from ..float.config import FloatLaneConfig
from ..sparse.config import SparseConfig

__all__ = ["GroupingGradientConfig"]


@dataclass(frozen=True, kw_only=True)
class GroupingGradientConfig(FloatLaneConfig):
    """Dimensions of what sums the gradients of grouping matrices.

    Parameters
    ----------
    sparse : SparseConfig
        The group tables and the banks of compressed weights; as many lanes sum as there are banks.
    format : FloatFormat or str
        The format of weights, gradients and sums; as wide as a word of a bank.
    adder_depth, multiplier_depth : int
        Register stages, 1 to 6. Every stage of a lane's adder has a sum.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    sparse: SparseConfig = field(default_factory=SparseConfig)

    def __post_init__(self):
        super().__post_init__()
        require_kind("Sparse", self.sparse, SparseConfig)
        if self.format.width != self.sparse.weight_width:
            raise ValueError(
                f"Format must have the {self.sparse.weight_width} bits of the banks, not {self.format.width}"
            )

    @property
    def block(self):
        """Sums that are under way at once."""
        return self.adder_depth * self.sparse.banks
