"""Configurations of the memories. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_even, require_integer, require_multiple

__all__ = ["ActivationMemoryConfig", "TransposableConfig"]


@dataclass(frozen=True, kw_only=True)
class TransposableConfig:
    """Dimensions of a transposable memory.

    Parameters
    ----------
    lanes : int
        Words in a row, and rows in a block (2 to 64).
    rows : int
        Rows, a multiple of ``lanes`` (up to 2^24).
    width : int
        Bits in a word (1 to 64).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lanes: int
    rows: int
    width: int = 32

    def __post_init__(self):
        require_integer("Lanes", self.lanes, 2, 64)
        require_integer("Rows", self.rows, self.lanes, 1 << 24)
        require_multiple("Rows", self.rows, "lanes", self.lanes)
        require_integer("Width", self.width, 1, 64)


@dataclass(frozen=True, kw_only=True)
class ActivationMemoryConfig:
    """Dimensions of an activation memory.

    Parameters
    ----------
    lanes : int
        Words in a row (even, 2 to 64).
    rows : int
        Rows, a multiple of ``lanes`` (up to 2^24).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lanes: int
    rows: int

    def __post_init__(self):
        require_integer("Lanes", self.lanes, 2, 64)
        require_even("Lanes", self.lanes)
        require_integer("Rows", self.rows, self.lanes, 1 << 24)
        require_multiple("Rows", self.rows, "lanes", self.lanes)
