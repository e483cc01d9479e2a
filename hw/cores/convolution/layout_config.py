"""Configuration of the layout transformation unit. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property

from ..checks import require_integer, require_kind
from ..memory.config import TransposableConfig
from .loop_nest_config import LoopNestConfig, NestField
from .row_packer_config import RowPackerConfig
from .transform_config import LinearTransformConfig, winograd
from .window_reader_config import WindowReaderConfig

__all__ = ["LayoutConfig"]


@dataclass(frozen=True, kw_only=True)
class LayoutConfig:
    """From which memory into which buffer, and by which transforms.

    Parameters
    ----------
    reader : WindowReaderConfig
        Its accesses have as many elements as a row of the buffer has words; 5 levels at least.
    buffer : TransposableConfig
        Configuration of the input buffer; its words hold every element, also of tiles.
    transforms : tuple of (int, int)
        m and r of Winograd's F(m, r).
    levels : int
        Nested loops of the rows of the buffer (1 to 8; 4 for tiles).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; a transform that is not known, or twice; lanes or words that do
        not suit.
    """

    reader: WindowReaderConfig
    buffer: TransposableConfig
    transforms: tuple[tuple[int, int], ...] = ((2, 3),)
    levels: int = 4

    def __post_init__(self):
        require_kind("Reader", self.reader, WindowReaderConfig)
        require_kind("Buffer", self.buffer, TransposableConfig)
        require_integer("Levels", self.levels, 1, 8)
        require_integer("Levels of the reader", self.reader.levels, 5, 8)
        if self.buffer.lanes != self.reader.elements:
            raise ValueError(
                f"Lanes of the buffer must be the {self.reader.elements} of an access, not {self.buffer.lanes}"
            )
        if len(set(self.transforms)) < len(self.transforms):
            raise ValueError(f"Transforms must be different ones, not {self.transforms}")
        for transform, (_, last) in zip(self.transforms, self.axes, strict=True):
            if last.result_width > self.buffer.width:
                raise ValueError(
                    f"Words of the buffer must have at least the {last.result_width} bits of F{transform}, "
                    f"not {self.buffer.width}"
                )
        if self.reader.memory.width > self.buffer.width:
            raise ValueError(
                f"Words of the buffer must have at least the {self.reader.memory.width} bits of an element, "
                f"not {self.buffer.width}"
            )

    @cached_property
    def axes(self):
        """The linear transforms of each tile transform: of the lines, then of the columns."""
        found = []
        for transform in self.transforms:
            matrix = winograd(*transform).inputs
            first = LinearTransformConfig(matrix=matrix, lanes=self.reader.elements, width=self.reader.memory.width)
            found.append((first, first.following(matrix)))
        return tuple(found)

    @cached_property
    def packer(self):
        """Rows of Toeplitz matrices."""
        return RowPackerConfig(lanes=self.reader.elements, width=self.reader.memory.width)

    @cached_property
    def nest(self):
        """The loops of the buffer's rows. ``index``: the row modulo the lanes; ``block``: what it carries."""
        lanes, width = self.buffer.lanes, max((self.buffer.rows - 1).bit_length(), 1)
        fields = (
            NestField(name="index", width=(lanes - 1).bit_length(), radix=lanes),
            NestField(name="block", width=width),
            NestField(name="row", width=width),
        )
        return LoopNestConfig(fields=fields, levels=self.levels)
