"""Configuration of what makes words of totals and writes them. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property

from ..checks import require_integer, require_kind
from ..memory.config import TransposableConfig, UnalignedConfig
from .loop_nest_config import LoopNestConfig, NestField
from .requantizer_config import RequantizerConfig
from .window_reader_config import WindowReaderConfig

__all__ = ["WordWriterConfig"]


@dataclass(frozen=True, kw_only=True)
class WordWriterConfig:
    """Totals, and the feature map that their words go to.

    Parameters
    ----------
    lanes : int
        Totals of a row (2 to the feature map's lanes).
    sum_width : int
        Bits of a total (2 to 47).
    features : UnalignedConfig
        The feature map; ``rows`` a power of two.
    parameter_rows : int
        Rows of biases and multipliers (1 to 2^24), of as many channels as there are lanes.
    line_width, element_width : int
        As of :class:`.WindowReaderConfig`.
    levels : int
        Nested loops over places of the map (1 to 8); over parameters there are 4 at most.
    planes : int
        Most planes of a block that is turned (1 to 64).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    lanes: int
    sum_width: int
    features: UnalignedConfig
    parameter_rows: int
    line_width: int = 10
    element_width: int = 18
    levels: int = 5
    planes: int = 1

    def __post_init__(self):
        require_kind("Features", self.features, UnalignedConfig)
        require_integer("Parameter rows", self.parameter_rows, 1, 1 << 24)
        require_integer("Planes", self.planes, 1, 64)
        # Other configurations raise their own errors here.
        _ = self.target, self.requantizer, self.turned

    @property
    def requantizer(self):
        """Configuration of each lane's requantizer."""
        return RequantizerConfig(sum_width=self.sum_width, width=self.features.width)

    @cached_property
    def parameters(self):
        """Loops over rows of biases and multipliers, and over the words of a row where rows of totals are turned."""
        word = NestField(name="word", width=(self.lanes - 1).bit_length(), radix=self.lanes)
        row = NestField(name="row", width=max((self.parameter_rows - 1).bit_length(), 1))
        return LoopNestConfig(fields=(word, row), levels=min(self.levels, 4))

    @cached_property
    def turned(self):
        """Blocks of words, each with a bit that says whether it was saturated."""
        rows = 2 * self.planes * self.lanes
        return TransposableConfig(lanes=self.lanes, rows=rows, width=self.features.width + 1)

    @cached_property
    def target(self):
        """Loops over places of the feature map, as a reader's, and where they are in the picture."""
        return WindowReaderConfig(
            memory=self.features,
            lanes=self.lanes,
            levels=self.levels,
            line_width=self.line_width,
            element_width=self.element_width,
        )
