"""Configuration of the unit of fractionally strided convolutions. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property

from ..checks import require_integer, require_kind
from ..convolution.loop_nest_config import LoopNestConfig, NestField
from ..convolution.window_reader_config import WindowReaderConfig
from ..convolution.word_writer_config import WordWriterConfig
from ..memory.config import TransposableConfig
from .config import FractionalConvolutionConfig, IntegerLaneConfig

__all__ = ["FractionalConvolutionUnitConfig"]


@dataclass(frozen=True, kw_only=True)
class FractionalConvolutionUnitConfig:
    """An engine of integers, and what makes words of its sums.

    Parameters
    ----------
    engine : FractionalConvolutionConfig
        An engine of integers, whose operands hold the elements of the feature map; 2 rows to the lanes of the feature
        map. Its words have as many outputs as the writer has lanes.
    writer : WordWriterConfig
        Its totals hold a sum of the engine; the feature map is that of inputs and outputs. 3 levels at least.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; parts that do not suit each other.
    """

    engine: FractionalConvolutionConfig
    writer: WordWriterConfig

    def __post_init__(self):
        require_kind("Engine", self.engine, FractionalConvolutionConfig)
        require_kind("Writer", self.writer, WordWriterConfig)
        engine, features = self.engine, self.writer.features
        require_kind("Arithmetic of the engine", engine.arithmetic, IntegerLaneConfig)
        require_integer("Rows of the engine", engine.rows, 2, features.lanes)
        require_integer("Levels of the writer", self.writer.levels, 3, 8)
        if engine.outputs != self.writer.lanes:
            raise ValueError(
                f"Output lanes of the engine must be the {self.writer.lanes} lanes of the writer, not {engine.outputs}"
            )
        for what, width, least in (
            ("Operands must have at least the {} bits of an element", engine.operand_width, features.width),
            ("Totals must have at least the {} bits of a sum", self.writer.sum_width, engine.sum_width),
        ):
            if width < least:
                raise ValueError(f"{what.format(least)}, not {width}")

    @cached_property
    def reader(self):
        """Configuration of the pixel reader: a picture is one line, up to the whole memory; P1 channels per access."""
        features = self.writer.features
        return WindowReaderConfig(
            memory=features,
            lanes=self.engine.rows,
            levels=3,
            line_width=2,
            element_width=min((features.rows * features.lanes).bit_length() + 1, 24),
        )

    @cached_property
    def turned(self):
        """Blocks of pixels by channels."""
        rows = self.engine.rows
        return TransposableConfig(lanes=rows, rows=2 * rows, width=self.writer.features.width)

    @cached_property
    def input_nest(self):
        """Loops over rows of the input memory. ``rest``: channels from a row's on; a row of none is not written."""
        rest = (self.engine.input_channels + self.engine.rows).bit_length() + 1
        fields = (
            NestField(name="row", width=self.engine.input_rows.bit_length()),
            NestField(name="rest", width=rest),
        )
        return LoopNestConfig(fields=fields, levels=3)
