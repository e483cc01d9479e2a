"""Configuration of a tree of adders. No Amaranth here."""

from dataclasses import dataclass

from ..checks import require_integer
from .config import BINARY16, MAXIMUM_DEPTH, FloatFormat, find_format

__all__ = ["FloatAdderTreeConfig"]


@dataclass(frozen=True, kw_only=True)
class FloatAdderTreeConfig:
    """A tree of adders of one format.

    Parameters
    ----------
    terms : int
        1 to 4096; a single one is its own sum.
    format : FloatFormat or str
        Format of terms and sum, or its name in ``FORMATS``.
    depth : int
        Register stages of each adder, 0 (combinational) to 7.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    terms: int
    format: FloatFormat = BINARY16
    depth: int = 4

    def __post_init__(self):
        require_integer("Terms", self.terms, 1, 4096)
        object.__setattr__(self, "format", find_format(self.format))
        require_integer("Depth", self.depth, 0, MAXIMUM_DEPTH)

    @property
    def levels(self) -> int:
        """Adders that a term passes at most."""
        return (self.terms - 1).bit_length()
