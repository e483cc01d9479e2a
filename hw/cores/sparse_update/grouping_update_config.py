"""Configuration of the update of grouping matrices. No Amaranth here."""

from dataclasses import dataclass, field

from ..checks import require_integer, require_kind
from ..float.config import MAXIMUM_DEPTH
from ..optimizer.rms_prop_config import RMSpropConfig
from .grouping_gradient_config import GroupingGradientConfig

__all__ = ["GroupingUpdateConfig"]


@dataclass(frozen=True, kw_only=True)
class GroupingUpdateConfig:
    """Dimensions of what updates grouping matrices by their gradients.

    Parameters
    ----------
    gradient : GroupingGradientConfig
        The gradients that come, memories and lists.
    rms_prop : RMSpropConfig
        The lane; its format is that of the grouping matrices, ``gradient.sparse.format``.
    conversion_depth : int
        Register stages of the conversion of gradients, 0 to 6; without effect where both formats are the same.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    gradient: GroupingGradientConfig = field(default_factory=GroupingGradientConfig)
    rms_prop: RMSpropConfig = field(default_factory=RMSpropConfig)
    conversion_depth: int = 2

    def __post_init__(self):
        require_kind("Gradient", self.gradient, GroupingGradientConfig)
        require_kind("RMSprop", self.rms_prop, RMSpropConfig)
        if self.rms_prop.format != self.sparse.format:
            raise ValueError(
                f"RMSprop must have the format of the grouping matrices, {self.sparse.format.name}, "
                f"not {self.rms_prop.format.name}"
            )
        require_integer("Conversion depth", self.conversion_depth, 0, MAXIMUM_DEPTH)

    @property
    def sparse(self):
        """The configuration of memories and lists."""
        return self.gradient.sparse

    @property
    def converts(self):
        """Whether gradients have another format than the lane."""
        return self.gradient.format != self.rms_prop.format
