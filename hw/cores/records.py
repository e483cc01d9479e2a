"""Words made of numbers side by side, as tables. No Amaranth here.

Gateware makes its layouts from them (:mod:`.layouts`), drivers and references their words.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .checks import require_integer

__all__ = ["Field", "Record"]


@dataclass(frozen=True)
class Field:
    """A number among others.

    Parameters
    ----------
    name : str
    width : int
        Bits (1 to 64).
    signed : bool
        Two's complement.
    """

    name: str
    width: int
    signed: bool = False

    def __post_init__(self):
        require_integer(f"Width of {self.name}", self.width, 1, 64)

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest value."""
        if self.signed:
            return -(1 << self.width - 1), (1 << self.width - 1) - 1
        return 0, (1 << self.width) - 1


@dataclass(frozen=True)
class Record:
    """Numbers side by side, the first in the lowest bits.

    Parameters
    ----------
    fields : tuple of Field
    """

    fields: tuple[Field, ...]

    @property
    def width(self) -> int:
        """Bits of all fields."""
        return sum(field.width for field in self.fields)

    def pack(self, values: Mapping[str, int]) -> int:
        """The word of one value for each field.

        Raises
        ------
        TypeError, ValueError
            A value that is no integer, or out of its field's range; names that are not those of the fields.
        """
        names = [field.name for field in self.fields]
        if sorted(values) != sorted(names):
            raise ValueError(f"Fields must be {', '.join(names) or 'none'}, not {', '.join(values) or 'none'}")
        word = offset = 0
        for field in self.fields:
            value = values[field.name]
            require_integer(field.name.replace("_", " ").capitalize(), value, *field.range)
            word |= (value & (1 << field.width) - 1) << offset
            offset += field.width
        return word

    def unpack(self, word: int) -> dict[str, int]:
        """The value of each field; bits above the last one mean nothing."""
        values = {}
        for field in self.fields:
            value = word & (1 << field.width) - 1
            values[field.name] = value - (1 << field.width) if value > field.range[1] else value
            word >>= field.width
        return values
