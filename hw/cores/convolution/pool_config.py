"""Configuration of the pooling unit. No Amaranth here."""

from dataclasses import dataclass
from functools import cached_property

from ..checks import require_kind
from .window_reader_config import WindowReaderConfig
from .window_reduction_config import WindowReductionConfig
from .word_writer_config import WordWriterConfig

__all__ = ["PoolConfig"]


@dataclass(frozen=True, kw_only=True)
class PoolConfig:
    """Configuration of the windows that a pooling unit reduces, and of the words that it writes.

    Parameters
    ----------
    writer : WordWriterConfig
        Configuration of what writes the words; its totals hold the sum of a window.
    window : int
        Most pixels of a window (the pixels of ``sliding`` to 2^16).
    sliding : pair of int
        Most lines and columns (2 to 16) of windows that overlap and slide over lines of the picture, so that each pixel
        is read once. Larger ones are read window by window.
    length : int
        Most pixels of a line over which windows slide, padding included (2 to 2^16). The unit has a memory of
        ``sliding[0] - 1`` such lines, ``writer.lanes`` channels wide.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; totals that are too narrow.
    """

    writer: WordWriterConfig
    window: int = 64
    sliding: tuple[int, int] = (3, 3)
    length: int = 256

    def __post_init__(self):
        require_kind("Writer", self.writer, WordWriterConfig)
        if not isinstance(self.sliding, tuple) or len(self.sliding) != 2:
            raise TypeError(f"Sliding must be a pair of integers, not {self.sliding!r}")
        if self.reduction.result_width > self.writer.sum_width:
            raise ValueError(
                f"Totals must have at least the {self.reduction.result_width} bits of the sum of {self.window} pixels, "
                f"not {self.writer.sum_width}"
            )

    @cached_property
    def reader(self):
        """Configuration of the window reader."""
        return WindowReaderConfig(
            memory=self.writer.features,
            lanes=self.writer.lanes,
            line_width=self.writer.line_width,
            element_width=self.writer.element_width,
        )

    @cached_property
    def reduction(self):
        """Configuration of the reduction of columns and of windows."""
        lines, columns = self.sliding
        return WindowReductionConfig(
            lanes=self.writer.lanes,
            width=self.writer.features.width,
            window=self.window,
            lines=lines,
            columns=columns,
            length=self.length,
        )
