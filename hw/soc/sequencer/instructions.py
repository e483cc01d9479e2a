"""Instruction sets as tables, with the assembler and disassembler made from them. No Amaranth here.

Every instruction is one word of ``width`` bits, lowest bit first::

    bits 3..0     opcode
    bits 11..4    wait mask: bit i holds the instruction back until engine i has completed all its earlier commands
    bits 12..     fields of the format, in the order of the table

Opcodes 1 to 13 are the accelerator's. Three are the same everywhere: 0 is never an instruction, so that memory
nobody wrote stops a program; 14 is ``wait``, which only waits for the engines of its mask, until each has at most
``outstanding`` (bits 15..12) commands that it has not completed; 15 is ``halt``, which waits for all engines and ends
the program.
"""

from dataclasses import dataclass

from ...cores.checks import require_identifier, require_integer
from ...cores.records import Field, Record

__all__ = ["CONTROL", "HEADER_WIDTH", "OPCODE_HALT", "OPCODE_WAIT", "OPCODE_WIDTH", "OUTSTANDING_WIDTH", "Format",
           "InstructionSet", "Operand"]  # fmt: skip

OPCODE_WIDTH = 4
WAIT_WIDTH = 8
HEADER_WIDTH = OPCODE_WIDTH + WAIT_WIDTH
OPCODE_WAIT = 14
OPCODE_HALT = 15
CONTROL_OPCODES = {"wait": OPCODE_WAIT, "halt": OPCODE_HALT}
# The count of commands that an engine has not completed.
OUTSTANDING_WIDTH = 4


@dataclass(frozen=True)
class Operand:
    """A field of an instruction, with what only an instruction says about it.

    Parameters
    ----------
    field : Field
    default : int or None
        Value when the program gives none; None: it must give one.
    description : str
    """

    field: Field
    default: int | None = None
    description: str = ""

    def __post_init__(self):
        if self.field.name in ("wait", "opcode"):
            raise ValueError(f"Field name must not be one of the header's (opcode, wait), not {self.field.name!r}")
        if self.default is not None:
            self.field.to_raw(self.default, f"Default of field {self.field.name}")

    @property
    def name(self):
        return self.field.name


@dataclass(frozen=True)
class Format:
    """One kind of instruction.

    Parameters
    ----------
    name : str
    engine : str
        Engine that executes it.
    opcode : int
        1 to 13, unlike any other of the set.
    operands : tuple of Operand or Field
        From bit 12 upwards. A bare field is an operand that every program must give.
    description : str
    """

    name: str
    engine: str
    opcode: int
    operands: tuple[Operand | Field, ...] = ()
    description: str = ""

    def __post_init__(self):
        operands = self.arguments
        object.__setattr__(self, "operands", operands)
        require_identifier("Format", self.name)
        if self.engine or self.name not in CONTROL_OPCODES:
            if self.name in CONTROL_OPCODES:
                raise ValueError(f"Format name must not be one of {', '.join(CONTROL_OPCODES)}, not {self.name!r}")
            require_identifier("Engine", self.engine)
            require_integer(f"Opcode of format {self.name}", self.opcode, 1, OPCODE_WAIT - 1)
        names = [part.name for part in operands]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"Fields of format {self.name} must differ, {name!r} occurs twice")

    @property
    def arguments(self) -> tuple[Operand, ...]:
        """The operands; a bare field counts as one."""
        return tuple(Operand(part) if isinstance(part, Field) else part for part in self.operands)

    @property
    def record(self):
        """The fields of the operands, side by side."""
        return Record(tuple(part.field for part in self.arguments))

    @property
    def width(self):
        """Bits of all fields."""
        return self.record.width


# The sequencer's own, of no engine.
CONTROL = {
    "wait": Format(
        "wait",
        "",
        OPCODE_WAIT,
        (Operand(Field("outstanding", OUTSTANDING_WIDTH), default=0),),
        description="until each engine of the mask has at most so many commands that it has not completed",
    ),
    "halt": Format("halt", "", OPCODE_HALT, description="waits for all engines and ends the program"),
}


@dataclass(frozen=True, kw_only=True)
class InstructionSet:
    """The instruction set of one accelerator.

    Parameters
    ----------
    engines : tuple of str
        Names; the position is the engine's bit in the wait mask and its place in every list of engines. At most 8.
    formats : tuple of Format
    width : int
        Bits of an instruction, a multiple of 32.
    """

    engines: tuple[str, ...]
    formats: tuple[Format, ...]
    width: int = 256

    def __post_init__(self):
        require_integer("Width of an instruction", self.width, 32)
        if self.width % 32:
            raise ValueError(f"Width of an instruction must be a multiple of 32, not {self.width}")
        for engine in self.engines:
            require_identifier("Engine", engine)
        if not 1 <= len(self.engines) <= WAIT_WIDTH or len(set(self.engines)) != len(self.engines):
            raise ValueError(f"Engines must be 1 to {WAIT_WIDTH} different names, not {self.engines!r}")
        for index, entry in enumerate(self.formats):
            if entry.engine not in self.engines:
                raise ValueError(
                    f"Engine of format {entry.name} must be one of {', '.join(self.engines)}, not {entry.engine!r}"
                )
            if HEADER_WIDTH + entry.width > self.width:
                raise ValueError(
                    f"Format {entry.name} must fit in {self.width} bits, not {HEADER_WIDTH + entry.width} "
                    f"({HEADER_WIDTH} of the header and {entry.width} of its fields)"
                )
            for other in self.formats[:index]:
                if entry.name == other.name:
                    raise ValueError(f"Names of formats must differ, {entry.name!r} occurs twice")
                if entry.opcode == other.opcode:
                    raise ValueError(
                        f"Opcodes must differ, formats {other.name} and {entry.name} both have {entry.opcode}"
                    )

    def formats_of(self, engine):
        """Formats that an engine executes."""
        return tuple(entry for entry in self.formats if entry.engine == engine)

    def format(self, name):
        for entry in self.formats:
            if entry.name == name:
                return entry
        names = ", ".join([entry.name for entry in self.formats] + list(CONTROL))
        raise ValueError(f"Instruction must be one of {names}, not {name!r}")

    def wait_mask(self, engines):
        """Mask of engine names, an iterable; ``"all"`` stands for every engine."""
        if engines == "all":
            return (1 << len(self.engines)) - 1
        if isinstance(engines, str):
            engines = (engines,)
        mask = 0
        for engine in engines:
            if engine not in self.engines:
                raise ValueError(f"Engine to wait for must be one of {', '.join(self.engines)}, not {engine!r}")
            mask |= 1 << self.engines.index(engine)
        return mask

    def encode(self, name, *, wait=(), **fields):
        """One instruction as an integer.

        Parameters
        ----------
        name : str
            A format's name, ``"wait"`` or ``"halt"``.
        wait : iterable of str, or ``"all"``
            Engines that must have completed all earlier commands before this one issues (of ``wait``: all but
            ``outstanding`` of them).
        fields : int
            One value for every field without a default.
        """
        entry = CONTROL.get(name) or self.format(name)
        word = self.wait_mask(wait) << OPCODE_WIDTH
        known = [part.name for part in entry.arguments]
        for given in fields:
            if given not in known:
                raise ValueError(f"Field of {name} must be one of {', '.join(known) or 'none'}, not {given!r}")
        values = {part.name: fields.get(part.name, part.default) for part in entry.arguments}
        for field, value in values.items():
            if value is None:
                raise ValueError(f"Instruction {name} needs a value for field {field}")
        return word | entry.opcode | entry.record.pack(values, name) << HEADER_WIDTH

    def decode(self, word):
        """``(name, waited engines, {field: value})`` of an instruction; ``ValueError`` for an unknown opcode."""
        require_integer("Instruction", word, 0, (1 << self.width) - 1)
        opcode = word & ((1 << OPCODE_WIDTH) - 1)
        mask = word >> OPCODE_WIDTH & ((1 << WAIT_WIDTH) - 1)
        waits = tuple(engine for index, engine in enumerate(self.engines) if mask >> index & 1)
        for entry in (*CONTROL.values(), *self.formats):
            if entry.opcode == opcode:
                return entry.name, waits, entry.record.unpack(word >> HEADER_WIDTH)
        codes = ", ".join(str(code) for code in sorted(entry.opcode for entry in (*CONTROL.values(), *self.formats)))
        raise ValueError(f"Opcode must be one of {codes}, not {opcode}")

    def disassemble(self, words, address=0):
        """Text of a program, one line an instruction; an unknown opcode is shown, not refused."""
        lines = []
        for index, word in enumerate(words):
            try:
                name, waits, values = self.decode(word)
            except ValueError:
                text = f"?? {word:#x}"
            else:
                text = " ".join([name, *(f"{key}={value}" for key, value in values.items())])
                if waits:
                    text += f" wait={','.join(waits)}"
            lines.append(f"{address + index:5d}  {text}")
        return "\n".join(lines)

    def describe(self):
        """The table as plain lists and dictionaries: what the configuration hash covers."""
        return {
            "width": self.width,
            "engines": list(self.engines),
            "formats": [
                {
                    "name": entry.name,
                    "engine": entry.engine,
                    "opcode": entry.opcode,
                    "fields": [[part.name, part.width, part.signed] for part in entry.record.fields],
                }
                for entry in self.formats
            ],
        }
