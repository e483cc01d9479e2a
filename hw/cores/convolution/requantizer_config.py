"""Configuration of what makes words of sums. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["MULTIPLIER_WIDTH", "SHIFT_WIDTH", "RequantizerConfig"]

# Unsigned; the shift is from 0 to 63.
MULTIPLIER_WIDTH = 16
SHIFT_WIDTH = 6


@dataclass(frozen=True, kw_only=True)
class RequantizerConfig:
    """Widths of sums and words.

    Parameters
    ----------
    sum_width : int
        Bits of a sum and of a bias, two's complement (2 to 47).
    width : int
        Bits of a word, two's complement (2 to ``sum_width``).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    sum_width: int = 32
    width: int = 8

    def __post_init__(self):
        require_integer("Sum width", self.sum_width, 2, 47)
        require_integer("Width", self.width, 2, self.sum_width)
