"""Configuration of the reduction of windows. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["WindowReductionConfig"]


@dataclass(frozen=True, kw_only=True)
class WindowReductionConfig:
    """Windows of vectors.

    Parameters
    ----------
    lanes : int
        Elements of a vector (1 to 256).
    width : int
        Bits of an element, two's complement (1 to 48).
    window : int
        Most vectors of a window (``lines * columns`` to 2^16).
    lines, columns : int
        Most lines and columns of a window that slides over a picture (2 to 16).
    length : int
        Most vectors of a line of such a picture (2 to 2^16).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lanes: int
    width: int = 8
    window: int = 64
    lines: int = 3
    columns: int = 3
    length: int = 256

    def __post_init__(self):
        require_integer("Lanes", self.lanes, 1, 256)
        require_integer("Width", self.width, 1, 48)
        require_integer("Lines", self.lines, 2, 16)
        require_integer("Columns", self.columns, 2, 16)
        require_integer("Length", self.length, 2, 1 << 16)
        require_integer("Window", self.window, self.lines * self.columns, 1 << 16)

    @property
    def column_width(self):
        """Bits of a column's result: enough for the sum of a column of a window that slides."""
        return self.width + (self.lines - 1).bit_length()

    @property
    def result_width(self):
        """Bits of a result: enough for the sum of a window."""
        return self.width + (self.window - 1).bit_length()
