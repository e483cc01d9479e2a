"""Configuration of what reduces windows. No Amaranth here."""

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
        Most vectors of a window (1 to 2^16).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lanes: int
    width: int = 8
    window: int = 64

    def __post_init__(self):
        require_integer("Lanes", self.lanes, 1, 256)
        require_integer("Width", self.width, 1, 48)
        require_integer("Window", self.window, 1, 1 << 16)

    @property
    def result_width(self):
        """Bits of a result: enough for the sum of a window."""
        return self.width + (self.window - 1).bit_length()
