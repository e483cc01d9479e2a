"""Values of Amaranth shapes to and from the bit vectors of a simulation."""

from dataclasses import dataclass
from enum import Enum
from typing import Any


@dataclass(frozen=True)
class Number:
    """An integer of ``width`` bits, two's complement if ``signed``."""

    width: int
    signed: bool

    def pack(self, value: Any) -> int:
        """Bits of an integer, a truth value or a member of an enumeration; refuses what does not fit."""
        number = int(value.value if isinstance(value, Enum) else value)
        low, high = (-(1 << self.width - 1), 1 << self.width - 1) if self.signed else (0, 1 << self.width)
        if not low <= number < high:
            kind = "signed" if self.signed else "unsigned"
            raise ValueError(f"Value must fit in {self.width} {kind} bits, not {number}")
        return number & (1 << self.width) - 1

    def unpack(self, bits: int) -> int:
        """The integer with these bits."""
        return bits - (1 << self.width) if self.signed and bits >> self.width - 1 else bits


@dataclass(frozen=True)
class Record:
    """Named fields, each with its offset; a plain dictionary in Python."""

    width: int
    fields: tuple[tuple[str, int, "Codec"], ...]

    def pack(self, value: Any) -> int:
        """Bits of a dictionary that has exactly the fields."""
        names = [name for name, _, _ in self.fields]
        if not isinstance(value, dict) or set(value) != set(names):
            raise ValueError(f"Value must be a dictionary with the fields {', '.join(names)}, not {value!r}")
        return sum(codec.pack(value[name]) << offset for name, offset, codec in self.fields)

    def unpack(self, bits: int) -> dict[str, Any]:
        """The dictionary with these bits."""
        return {name: codec.unpack(bits >> offset & (1 << codec.width) - 1) for name, offset, codec in self.fields}


@dataclass(frozen=True)
class Sequence:
    """``length`` elements of one kind; a plain list in Python."""

    width: int
    length: int
    element: "Codec"

    def pack(self, value: Any) -> int:
        """Bits of a sequence (list, tuple or NumPy array) of the right length."""
        if len(value) != self.length:
            raise ValueError(f"Value must have {self.length} elements, not {len(value)}")
        return sum(self.element.pack(item) << index * self.element.width for index, item in enumerate(value))

    def unpack(self, bits: int) -> list[Any]:
        """The list with these bits."""
        width, mask = self.element.width, (1 << self.element.width) - 1
        return [self.element.unpack(bits >> index * width & mask) for index in range(self.length)]


Codec = Number | Record | Sequence


def codec_of(shape: Any) -> Codec:
    """The codec of anything that Amaranth takes as a shape; layouts become dictionaries and lists."""
    # Not with the module: a simulation that reads codecs from its run takes a quarter of a second less to start.
    from amaranth.hdl import Shape
    from amaranth.lib import data

    if isinstance(shape, type) and issubclass(shape, (data.Struct, data.Union)):
        shape = data.Layout.cast(shape)
    if isinstance(shape, data.ArrayLayout):
        return Sequence(Shape.cast(shape).width, shape.length, codec_of(shape.elem_shape))
    if isinstance(shape, data.StructLayout | data.FlexibleLayout):
        fields = tuple((str(name), field.offset, codec_of(field.shape)) for name, field in shape)
        return Record(Shape.cast(shape).width, fields)
    plain = Shape.cast(shape)
    return Number(plain.width, plain.signed)
