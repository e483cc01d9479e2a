"""Configuration of the store side of the layout transformation. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property

from ..checks import require_kind
from ..memory.config import UnalignedConfig
from .gemm_config import GemmEngineConfig
from .loop_nest_config import LoopNestConfig, NestField
from .quotient_config import QuotientConfig
from .transform_config import LinearTransformConfig, winograd
from .word_writer_config import WordWriterConfig

__all__ = ["StoreConfig"]


@dataclass(frozen=True, kw_only=True)
class StoreConfig:
    """From which accumulators to which feature map.

    Parameters
    ----------
    gemm : GemmEngineConfig
        Configuration of the engine that fills the accumulators.
    features : UnalignedConfig
        The feature map, whose lanes are at least the array's columns; ``rows`` a power of two.
    parameter_rows : int
        Rows of biases and multipliers (1 to 2^24), of as many channels as the array has columns.
    transforms : tuple of (int, int)
        m and r of Winograd's F(m, r).
    turned_tiles : bool
        Sums of Winograd's algorithm may also be those of IS: the memory that turns words has m^2 times as many rows.
    line_width, element_width : int
        As of :class:`.WindowReaderConfig`.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; a floating-point array; a transform that is not known, or twice.
    """

    gemm: GemmEngineConfig
    features: UnalignedConfig
    parameter_rows: int
    transforms: tuple[tuple[int, int], ...] = ((2, 3),)
    turned_tiles: bool = False
    line_width: int = 10
    element_width: int = 18

    def __post_init__(self):
        require_kind("Gemm", self.gemm, GemmEngineConfig)
        if self.gemm.array.format is not None:
            raise ValueError(f"Gemm must have an array of integers, not of {self.gemm.array.format}")
        require_kind("Turned tiles", self.turned_tiles, bool)
        object.__setattr__(self, "transforms", tuple(tuple(each) for each in self.transforms))
        # Other configurations raise their own errors here.
        _ = self.writer, self.axes
        if len(set(self.transforms)) < len(self.transforms):
            raise ValueError(f"Transforms must be different ones, not {self.transforms}")

    @property
    def lanes(self):
        """Sums of a row of the accumulators."""
        return self.gemm.array.columns

    @cached_property
    def writer(self):
        """Configuration of the writer that makes words of sums."""
        return WordWriterConfig(
            lanes=self.lanes,
            sum_width=self.gemm.array.sum_width,
            features=self.features,
            parameter_rows=self.parameter_rows,
            line_width=self.line_width,
            element_width=self.element_width,
            planes=max((tile**2 for tile, _ in self.transforms if self.turned_tiles), default=1),
        )

    @cached_property
    def axes(self):
        """The linear transforms of each tile transform, of lines and of columns, and the quotient behind them."""
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
        row = NestField(name="row", width=max((self.gemm.sum_rows - 1).bit_length(), 1))
        return LoopNestConfig(fields=(row,), levels=4)
