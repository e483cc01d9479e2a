"""Words made of numbers side by side, as tables. No Amaranth here.

Gateware makes its layouts from them (:mod:`.layouts`), drivers and references their words. Operands of instructions and
bits of registers are made of the same fields.
"""

import dataclasses
import enum
import functools
import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from .checks import require_identifier, require_integer

__all__ = ["Field", "Record"]


@dataclass(frozen=True)
class Field:
    """A number among others.

    Parameters
    ----------
    name : str
        A lower-case identifier.
    width : int
        Bits (1 to 64).
    signed : bool
        Two's complement.
    values : type or None
        Enumeration of integers whose numbers it holds, for people and other languages; two fields that differ in it
        alone are equal.
    """

    name: str
    width: int = 1
    signed: bool = False
    values: type[enum.IntEnum] | None = dataclasses.field(default=None, compare=False, repr=False)

    def __post_init__(self):
        require_identifier("Field", self.name)
        require_integer(f"Width of field {self.name}", self.width, 1, 64)
        for value in self.values or ():
            self.to_raw(value, f"Value {value.name.lower()} of field {self.name}")

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest value."""
        if self.signed:
            return -(1 << self.width - 1), (1 << self.width - 1) - 1
        return 0, (1 << self.width) - 1

    def to_raw(self, value: int, what: str) -> int:
        """The bits of a value: an integer in range, or for one bit a truth value. ``what`` names it in errors."""
        if isinstance(value, bool):
            value = int(value) if self.width == 1 else value
        elif hasattr(value, "__index__"):
            value = value.__index__()
        require_integer(what, value, *self.range)
        return value & (1 << self.width) - 1

    def to_value(self, raw: int) -> int:
        """The value of bits; those above the field mean nothing."""
        raw &= (1 << self.width) - 1
        return raw - (1 << self.width) if self.signed and raw >> self.width - 1 else raw


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

    @functools.cached_property
    def offsets(self) -> tuple[int, ...]:
        """Lowest bit of each field."""
        widths = [field.width for field in self.fields]
        return tuple(itertools.accumulate(widths, initial=0))[:-1]

    def pack(self, values: Mapping[str, int], of: str = "") -> int:
        """The word of one value for each field; ``of`` says in errors whose fields they are.

        Raises
        ------
        TypeError, ValueError
            A value that is no integer, or out of its field's range; names that are not those of the fields.
        """
        names = [field.name for field in self.fields]
        if sorted(values) != sorted(names):
            raise ValueError(f"Fields must be {', '.join(names) or 'none'}, not {', '.join(values) or 'none'}")
        word = 0
        for field, offset in zip(self.fields, self.offsets, strict=True):
            what = f"Field {field.name} of {of}" if of else field.name.replace("_", " ").capitalize()
            word |= field.to_raw(values[field.name], what) << offset
        return word

    def unpack(self, word: int) -> dict[str, int]:
        """The value of each field; bits above the last one mean nothing."""
        values = {}
        for field in self.fields:
            values[field.name] = field.to_value(word)
            word >>= field.width
        return values
