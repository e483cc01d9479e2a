"""Configuration of what packs rows. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["RowPackerConfig"]


@dataclass(frozen=True, kw_only=True)
class RowPackerConfig:
    """Rows.

    Parameters
    ----------
    lanes : int
        Elements of a row, and most that come at a time (2 to 256).
    width : int
        Bits of an element (1 to 64).

    Raises
    ------
    TypeError, ValueError
        A field that is no integer, or out of its range.
    """

    lanes: int
    width: int = 8

    def __post_init__(self):
        require_integer("Lanes", self.lanes, 2, 256)
        require_integer("Width", self.width, 1, 64)
