"""Configuration of the shell and the address map that follows from it. No Amaranth here."""

import dataclasses
import enum
import hashlib
import json
from dataclasses import dataclass

from ...cores.checks import require_integer
from ..bus.registers import Access, AddressMap, Field, Placed, Register, Window
from ..sequencer.instructions import InstructionSet

__all__ = ["ERROR_FLAGS", "IDENTIFICATION", "SHELL_VERSION", "ErrorFlag", "ShellConfig", "State", "configuration_hash"]

IDENTIFICATION = int.from_bytes(b"RWDW", "little")
SHELL_VERSION = 0x0001_0000
COUNTER_WIDTH = 48
ACCELERATOR_ADDRESS = 0x100


class State(enum.IntEnum):
    """State of the device, in the status register."""

    IDLE = 0
    RUNNING = 1
    DONE = 2
    ERROR = 3


@dataclass(frozen=True)
class ErrorFlag:
    """One sticky flag of the errors register.

    Parameters
    ----------
    name : str
    stops : bool
        Whether the flag stops the program. One that does not is only reported.
    description : str
    """

    name: str
    stops: bool
    description: str


# The position is the bit in the errors register.
ERROR_FLAGS = (
    ErrorFlag("bad_instruction", True, "an instruction has an unknown opcode"),
    ErrorFlag("address_out_of_range", True, "a command or the program reached behind the end of a memory"),
    ErrorFlag("stream_underflow", True, "a packet ended before the transfer it was for"),
    ErrorFlag("stream_overflow", True, "a packet was longer than the transfer it was for"),
    ErrorFlag("memory_conflict", True, "two engines used one port of a memory in the same cycle"),
    ErrorFlag("overflow", False, "a result was saturated"),
    ErrorFlag("nonfinite", False, "a number is infinite or NaN"),
)


def configuration_hash(config):
    """32 bits that differ for configurations that differ: the driver refuses a device built for another one.

    Parameters
    ----------
    config : dataclass instance
        Anything of dataclasses, enumerations, numbers, strings, tuples and dictionaries.
    """

    def plain(value):
        if dataclasses.is_dataclass(value):
            parts = {part.name: plain(getattr(value, part.name)) for part in dataclasses.fields(value) if part.init}
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
    """

    system_id: str
    configuration_hash: int
    instruction_set: InstructionSet
    stream_width: int
    instruction_depth: int = 1024
    stream_depth: int = 16
    registers: tuple[Register, ...] = ()

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
        return AddressMap(name="shell", items=(*shell_registers(self.engines), *accelerator, program))


def shell_registers(engines):
    """Registers of every shell, from address 0."""
    counter = {"access": Access.READ_ONLY, "width": COUNTER_WIDTH}
    return (
        Register(name="identification", access=Access.READ_ONLY, description='The characters "RWDW".'),
        Register(
            name="version",
            access=Access.READ_ONLY,
            description="Version of this register map.",
            fields=(Field(name="minor", offset=0, width=16), Field(name="major", offset=16, width=16)),
        ),
        Register(name="system", access=Access.READ_ONLY, description="The accelerator's four characters."),
        Register(
            name="configuration_hash",
            access=Access.READ_ONLY,
            description="Hash of the configuration that the hardware was made from.",
        ),
        Register(
            name="status",
            access=Access.READ_ONLY,
            width=16,
            description="State of the device.",
            fields=(
                Field(name="state", offset=0, width=2, description="0 idle, 1 running, 2 done, 3 error"),
                *(
                    Field(name=f"busy_{engine}", offset=8 + index, description=f"engine {engine} has work")
                    for index, engine in enumerate(engines)
                ),
            ),
        ),
        Register(
            name="control",
            access=Access.STROBE,
            width=2,
            description="Writing ones starts what is named.",
            fields=(
                Field(name="start", offset=0, description="run the program from start_address; ignored while running"),
                Field(
                    name="soft_reset",
                    offset=1,
                    description="reset sequencer, engines and stream buffers; memories, registers and counters stay",
                ),
            ),
        ),
        Register(
            name="start_address",
            access=Access.READ_WRITE,
            width=16,
            description="Instruction at which a start begins.",
        ),
        Register(
            name="errors",
            access=Access.WRITE_ONE_TO_CLEAR,
            width=len(ERROR_FLAGS),
            description="Sticky flags; they survive a soft reset.",
            fields=tuple(
                Field(
                    name=flag.name,
                    offset=index,
                    description=flag.description + (" (stops the program)" if flag.stops else ""),
                )
                for index, flag in enumerate(ERROR_FLAGS)
            ),
        ),
        Register(name="program_counter", access=Access.READ_ONLY, width=16, description="Instruction being issued."),
        Register(name="retired", access=Access.READ_ONLY, description="Instructions issued since the start."),
        Register(name="cycles", description="Clock cycles since the start, while running.", **counter),
        *(
            Register(name=f"busy_{engine}", description=f"Cycles in which engine {engine} had work.", **counter)
            for engine in engines
        ),
    )
