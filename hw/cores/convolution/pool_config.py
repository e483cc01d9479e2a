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
    """From which feature map to which.

    Parameters
    ----------
    writer : WordWriterConfig
        Of what comes of windows; its totals hold the sum of a window.
    window : int
        Most pixels of a window (1 to 2^16).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range; totals that are too narrow.
    """

    writer: WordWriterConfig
    window: int = 64

    def __post_init__(self):
        require_kind("Writer", self.writer, WordWriterConfig)
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
        """Configuration of the window reduction."""
        return WindowReductionConfig(lanes=self.writer.lanes, width=self.writer.features.width, window=self.window)
