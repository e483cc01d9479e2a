"""Registers and address maps as data: described once, without Amaranth.

The hardware (:mod:`.register_bank`), the driver's constants, the JSON file, the C header and the documentation
table (:mod:`..export.formats`) are all made from one :class:`AddressMap`.
"""

import dataclasses
import enum
from dataclasses import dataclass

from ...cores.checks import require_identifier, require_integer
from ...cores.records import Field

__all__ = ["WORD_BYTES", "Access", "AddressMap", "Placed", "Register", "RegisterField", "Window"]

WORD_BYTES = 4
WORD_BITS = 8 * WORD_BYTES


class Access(enum.Enum):
    """Kinds of access that the host has to a register."""

    CONSTANT = "constant"
    READ_ONLY = "read-only"
    READ_WRITE = "read-write"
    WRITE_ONE_TO_CLEAR = "write-1-to-clear"
    STROBE = "strobe"


@dataclass(frozen=True)
class RegisterField:
    """Bits of a register that have a meaning of their own. Hardware sees the whole register; fields serve the
    driver, the C header and the documentation.

    Parameters
    ----------
    field : Field
        Name and width.
    offset : int
        Lowest bit.
    description : str
    """

    field: Field
    offset: int
    description: str = ""

    def __post_init__(self):
        require_integer(f"Offset of field {self.name}", self.offset, 0, 63)
        require_integer(f"Width of field {self.name}", self.width, 1, 64 - self.offset)

    @property
    def name(self):
        return self.field.name

    @property
    def width(self):
        return self.field.width

    @property
    def mask(self):
        """Ones on its bits of the register."""
        return ((1 << self.width) - 1) << self.offset

    def of(self, raw):
        """Its value in the bits of the register."""
        return self.field.to_value(raw >> self.offset)


@dataclass(frozen=True, kw_only=True)
class Register:
    """One register.

    Parameters
    ----------
    name : str
    access : Access
        ``CONSTANT``: always ``reset``; the register bank knows it. ``READ_ONLY``: the hardware gives the value.
        ``READ_WRITE``: the host sets it, the hardware reads it. ``WRITE_ONE_TO_CLEAR``: the hardware sets bits, they
        stay until the host writes ones on them. ``STROBE``: a write gives the hardware the value and a pulse of one
        cycle, or the hardware refuses it; reads as zero.
    width : int
        1 to 32 bits; a constant or read-only register up to 64 bits: it takes two words, and reading the low word keeps
        the high word of the same cycle for the next read, so that a running counter is read whole.
    reset : int
        Value after reset. A read-write register begins with it; that a read-only one does is the hardware's affair.
    signed : bool
        How software shows the value (two's complement of ``width`` bits).
    description : str
    fields : tuple of RegisterField
    """

    name: str
    access: Access
    width: int = WORD_BITS
    reset: int = 0
    signed: bool = False
    description: str = ""
    fields: tuple[RegisterField, ...] = ()

    def __post_init__(self):
        require_identifier("Register", self.name)
        if not isinstance(self.access, Access):
            raise TypeError(f"Access of register {self.name} must be an Access, not {self.access!r}")
        widest = 2 * WORD_BITS if self.access in (Access.CONSTANT, Access.READ_ONLY) else WORD_BITS
        require_integer(f"Width of register {self.name} ({self.access.value})", self.width, 1, widest)
        require_integer(f"Reset value of register {self.name}", self.reset, 0, (1 << self.width) - 1)
        if self.reset and self.access in (Access.WRITE_ONE_TO_CLEAR, Access.STROBE):
            raise ValueError(
                f"Reset value of register {self.name} must be 0, as its access is {self.access.value}, not {self.reset}"
            )
        taken: dict[int, str] = {}
        for part in self.fields:
            if part.offset + part.width > self.width:
                raise ValueError(
                    f"Field {part.name} must end within the {self.width} bits of register {self.name}, "
                    f"not at bit {part.offset + part.width - 1}"
                )
            for bit in range(part.offset, part.offset + part.width):
                if bit in taken:
                    raise ValueError(
                        f"Fields {taken[bit]} and {part.name} of register {self.name} overlap at bit {bit}"
                    )
                taken[bit] = part.name

    @property
    def field(self):
        """The whole register as a number."""
        return Field(self.name, self.width, self.signed)

    @property
    def size(self):
        """Bytes in the address map."""
        return WORD_BYTES if self.width <= WORD_BITS else 2 * WORD_BYTES

    @property
    def alignment(self):
        return self.size

    def to_value(self, raw):
        """Software's value of the bits read."""
        return self.field.to_value(raw)

    def to_raw(self, value):
        """Bits to write for a value; refuses what does not fit."""
        return self.field.to_raw(value, f"Value of register {self.name}")


@dataclass(frozen=True, kw_only=True)
class Window:
    """A range of word addresses that the host writes and the hardware takes word by word.

    Parameters
    ----------
    name : str
    size : int
        Bytes, a power of two; the window is aligned to its size.
    description : str
    """

    name: str
    size: int
    description: str = ""

    def __post_init__(self):
        require_identifier("Window", self.name)
        require_integer(f"Size of window {self.name}", self.size, 2 * WORD_BYTES)
        if self.size & (self.size - 1):
            raise ValueError(f"Size of window {self.name} must be a power of two, not {self.size}")

    @property
    def alignment(self):
        return self.size


@dataclass(frozen=True)
class Placed:
    """A register or window with its address in bytes.

    Parameters
    ----------
    address : int
    item : Register or Window
    """

    address: int
    item: Register | Window

    @property
    def end(self):
        """First address after it."""
        return self.address + self.item.size

    def __str__(self):
        return f"{self.item.name} ({self.address:#06x} to {self.end - 1:#06x})"


@dataclass(frozen=True, kw_only=True)
class AddressMap:
    """Frozen map from addresses to registers and windows.

    Parameters
    ----------
    name : str
        Prefix in the C header and the JSON file.
    items : tuple of Register, Window, or Placed
        An item given bare takes the next free address of its alignment after the item before it; a
        :class:`Placed` one stands where it says.

    Attributes
    ----------
    placed : tuple of Placed
        All of them, in the order of their addresses.

    Raises
    ------
    ValueError
        Two items have the same name, overlap (both are named), or one is not aligned.
    """

    name: str
    items: tuple
    placed: tuple[Placed, ...] = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self):
        require_identifier("Address map", self.name)
        placed = []
        free = 0
        for entry in self.items:
            if not isinstance(entry, Placed):
                if not isinstance(entry, (Register, Window)):
                    raise TypeError(f"Item of address map {self.name} must be a Register or Window, not {entry!r}")
                entry = Placed(-(-free // entry.alignment) * entry.alignment, entry)
            require_integer(f"Address of {entry.item.name}", entry.address, 0)
            if entry.address % entry.item.alignment:
                raise ValueError(
                    f"Address of {entry.item.name} must be a multiple of {entry.item.alignment}, "
                    f"not {entry.address:#06x}"
                )
            placed.append(entry)
            free = entry.end
        placed.sort(key=lambda entry: entry.address)
        names = set()
        for entry in placed:
            if entry.item.name in names:
                raise ValueError(f"Names in address map {self.name} must differ, {entry.item.name!r} occurs twice")
            names.add(entry.item.name)
        for before, after in zip(placed, placed[1:], strict=False):
            if after.address < before.end:
                raise ValueError(f"In address map {self.name}, {before} and {after} overlap")
        object.__setattr__(self, "placed", tuple(placed))

    @property
    def size(self):
        """Bytes up to the end of the last item."""
        return self.placed[-1].end if self.placed else 0

    @property
    def address_width(self):
        """Bits of a byte address that reach every item."""
        return max((self.size - 1).bit_length(), 3)

    @property
    def registers(self):
        return tuple(entry for entry in self.placed if isinstance(entry.item, Register))

    @property
    def windows(self):
        return tuple(entry for entry in self.placed if isinstance(entry.item, Window))

    def __getitem__(self, name):
        """The :class:`Placed` item of that name; ``KeyError`` names what there is."""
        for entry in self.placed:
            if entry.item.name == name:
                return entry
        names = ", ".join(entry.item.name for entry in self.placed)
        raise KeyError(f"Address map {self.name} has no {name!r}; it has {names}")

    def __contains__(self, name):
        return any(entry.item.name == name for entry in self.placed)
