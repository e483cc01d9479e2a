"""Configuration of the store side of the layout transformation. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property

from ..checks import require_integer, require_kind
from ..memory.config import TransposableConfig, UnalignedConfig
from .gemm_config import GemmEngineConfig
from .loop_nest_config import LoopNestConfig, NestField
from .quotient_config import QuotientConfig
from .requantizer_config import RequantizerConfig
from .transform_config import LinearTransformConfig, winograd
from .window_reader_config import WindowReaderConfig

__all__ = ["StoreConfig"]


@dataclass(frozen=True, kw_only=True)
class StoreConfig:
    """From which accumulators to which feature map.

    Parameters
    ----------
    gemm : GemmEngineConfig
        Of the engine that fills the accumulators.
    features : UnalignedConfig
        The feature map, whose lanes are at least the array's columns; ``rows`` a power of two.
    parameter_rows : int
        Rows of biases and multipliers (1 to 2^24), of as many channels as the array has columns.
    transforms : tuple of (int, int)
        m and r of Winograd's F(m, r).
    line_width, element_width : int
        As of :class:`.WindowReaderConfig`.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; a transform that is not known, or twice.
    """

    gemm: GemmEngineConfig
    features: UnalignedConfig
    parameter_rows: int
    transforms: tuple[tuple[int, int], ...] = ((2, 3),)
    line_width: int = 10
    element_width: int = 18

    def __post_init__(self):
        require_kind("Gemm", self.gemm, GemmEngineConfig)
        require_integer("Parameter rows", self.parameter_rows, 1, 1 << 24)
        # What other configurations refuse is refused here, in their words.
        _ = self.target, self.requantizer, self.axes, self.turned
        if len(set(self.transforms)) < len(self.transforms):
            raise ValueError(f"Transforms must be different ones, not {self.transforms}")

    @property
    def lanes(self):
        """Sums of a row of the accumulators."""
        return self.gemm.array.columns

    @property
    def requantizer(self):
        """Of each lane."""
        return RequantizerConfig(sum_width=self.gemm.array.sum_width, width=self.features.width)

    @cached_property
    def axes(self):
        """Of each transform, those of a tile's lines and columns, and the quotient behind them."""
        found = []
        for transform in self.transforms:
            matrices = winograd(*transform)
            first = LinearTransformConfig(matrix=matrices.outputs, lanes=self.lanes, width=self.gemm.array.sum_width)
            second = first.following(matrices.outputs)
            found.append((first, second, QuotientConfig(divisor=matrices.scale**2, width=second.result_width)))
        return tuple(found)

    @cached_property
    def sums(self):
        """Loops over rows of the accumulators."""
        return LoopNestConfig(fields=(_row(self.gemm.sum_rows),), levels=4)

    @cached_property
    def parameters(self):
        """Loops over rows of biases and multipliers, and over the words of a row where rows of sums are turned."""
        word = NestField(name="word", width=(self.lanes - 1).bit_length(), radix=self.lanes)
        return LoopNestConfig(fields=(word, _row(self.parameter_rows)), levels=4)

    @cached_property
    def turned(self):
        """Blocks of words, each with a bit that says whether it was saturated."""
        return TransposableConfig(lanes=self.lanes, rows=2 * self.lanes, width=self.features.width + 1)

    @cached_property
    def target(self):
        """Loops over places of the feature map, as a reader's, and where they are in the picture."""
        return WindowReaderConfig(
            memory=self.features, lanes=self.lanes, line_width=self.line_width, element_width=self.element_width
        )


def _row(rows):
    return NestField(name="row", width=max((rows - 1).bit_length(), 1))
