"""Configurations of the sequential units. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_even, require_integer

__all__ = ["DividerConfig", "SquareRootConfig"]


@dataclass(frozen=True, kw_only=True)
class DividerConfig:
    """Widths of a sequential divider.

    Parameters
    ----------
    numerator_width : int
        Bits of the numerator and of the quotient (2 to 64).
    denominator_width : int
        Bits of the denominator and of the remainder (1 to 63).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    numerator_width: int = 64
    denominator_width: int = 32

    def __post_init__(self):
        require_integer("Numerator width", self.numerator_width, 2, 64)
        require_integer("Denominator width", self.denominator_width, 1, 63)


@dataclass(frozen=True, kw_only=True)
class SquareRootConfig:
    """Width of a sequential square root.

    Parameters
    ----------
    width : int
        Bits of the radicand (even, 4 to 66).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    width: int = 64

    def __post_init__(self):
        require_integer("Width", self.width, 4, 66)
        require_even("Width", self.width)
