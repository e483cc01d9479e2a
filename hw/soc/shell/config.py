"""Configuration of the shell and the address map that follows from it. No Amaranth here."""

import dataclasses
import enum
import hashlib
import json
from dataclasses import dataclass

from ...cores.checks import require_integer
from ..bus.registers import AddressMap, Placed, Register, Window
from ..sequencer.instructions import InstructionSet
from .registers import shell_registers
from .row_record import RowRecord

__all__ = ["ShellConfig", "configuration_hash"]

ACCELERATOR_ADDRESS = 0x100


def configuration_hash(config):
    """32 bits that differ for configurations that differ: the driver refuses a device built for another one.

    Parameters
    ----------
    config : dataclass instance
        Anything of dataclasses, enumerations, numbers, strings, tuples and dictionaries. Fields that the text of a
        dataclass leaves out count for nothing.
    """

    def plain(value):
        if dataclasses.is_dataclass(value):
            parts = {part.name: plain(getattr(value, part.name)) for part in dataclasses.fields(value) if part.repr}
            return {type(value).__name__: parts}
        if isinstance(value, enum.Enum):
            return value.name
        if isinstance(value, (list, tuple)):
            return [plain(part) for part in value]
        if isinstance(value, dict):
            return {str(key): plain(part) for key, part in value.items()}
        return value

    text = json.dumps(plain(config), sort_keys=True, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "little")


@dataclass(frozen=True, kw_only=True)
class ShellConfig:
    """Configuration of a shell.

    Parameters
    ----------
    system_id : str
        Four printable ASCII characters that name the accelerator, such as ``"FIXR"``.
    configuration_hash : int
        32 bits; see :func:`configuration_hash`.
    instruction_set : InstructionSet
        Gives the engines and the format of their commands.
    stream_width : int
        Bits of a beat of both streams, one memory row; a multiple of 32.
    instruction_depth : int
        Instructions that the program memory holds, a power of two.
    stream_depth : int
        Beats that each stream's buffer holds.
    registers : tuple of Register
        The accelerator's own, placed from address 0x100.
    rows : tuple of RowRecord
        What rows of the streams hold, for whoever drives the device without this project's software.
    """

    system_id: str
    configuration_hash: int
    instruction_set: InstructionSet
    stream_width: int
    instruction_depth: int = 1024
    stream_depth: int = 16
    registers: tuple[Register, ...] = ()
    rows: tuple[RowRecord, ...] = ()

    def __post_init__(self):
        if not isinstance(self.system_id, str):
            raise TypeError(f"System id must be a string, not {self.system_id!r}")
        if len(self.system_id) != 4 or not (self.system_id.isascii() and self.system_id.isprintable()):
            raise ValueError(f"System id must be four printable ASCII characters, not {self.system_id!r}")
        require_integer("Configuration hash", self.configuration_hash, 0, 0xFFFF_FFFF)
        if not isinstance(self.instruction_set, InstructionSet):
            raise TypeError(f"Instruction set must be an InstructionSet, not {self.instruction_set!r}")
        require_integer("Stream width", self.stream_width, 32)
        if self.stream_width % 32:
            raise ValueError(f"Stream width must be a multiple of 32, not {self.stream_width}")
        require_integer("Instruction depth", self.instruction_depth, 2, 65536)
        if self.instruction_depth & (self.instruction_depth - 1):
            raise ValueError(f"Instruction depth must be a power of two, not {self.instruction_depth}")
        require_integer("Stream depth", self.stream_depth, 2)
        width = self.instruction_set.width
        if width & (width - 1):
            raise ValueError(f"Width of an instruction in a shell must be a power of two, not {width}")
        for register in self.registers:
            if not isinstance(register, Register):
                raise TypeError(f"Registers must be a tuple of Register, not {register!r} in it")
        self.address_map  # noqa: B018  names and addresses must fit together

    @property
    def engines(self):
        return self.instruction_set.engines

    @property
    def stream_lanes(self):
        """32-bit words in a beat."""
        return self.stream_width // 32

    @property
    def address_map(self):
        """The whole address map: shell, accelerator, program memory."""
        accelerator = tuple(
            Placed(entry.address + ACCELERATOR_ADDRESS, entry.item)
            for entry in AddressMap(name="accelerator", items=self.registers).placed
        )
        program = Window(
            name="program",
            size=self.instruction_depth * self.instruction_set.width // 8,
            description="Program memory, write only: 32-bit words, lowest first; an instruction is stored when its "
            "last word is written.",
        )
        return AddressMap(name="shell", items=(*shell_registers(self), *accelerator, program))
