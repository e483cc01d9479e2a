"""Instruction set of FIXAR as a table; docs/fixar.md says what the instructions do. No Amaranth here."""

import enum

from ...cores.array.commands import MATRIX_COMMAND, Dataflow, Destination
from ...cores.array.config import Operation
from ...cores.records import Field
from ..sequencer.instructions import Format, InstructionSet, Operand

__all__ = ["CODES", "EVERY_CORE", "INSTRUCTION_SET", "Dataflow", "Destination", "Memory", "Operation"]

# Value of a core field that names all of them.
EVERY_CORE = 63


class Memory(enum.IntEnum):
    """Memories that a load or store reaches."""

    WEIGHT = 0  # row = bank * weight_rows + row in the bank
    GRADIENT = 1  # row = network * weight_rows + row, as the moments
    FIRST_MOMENT = 2
    SECOND_MOMENT_LOW = 3
    SECOND_MOMENT_HIGH = 4
    ACTIVATION = 5
    ERROR = 6
    RANGE = 7  # row = slot, lane 0 minimum, lane 1 maximum


# Number in the host's map of the activation memory as codes: what a load with `half` reaches.
CODES = 8


def flag(name, description="", default=0):
    return Operand(Field(name, 1), default=default, description=description)


CORE = Operand(Field("core", 6), default=EVERY_CORE, description="number of the core, 63: every core")
LANES = Operand(Field("lanes", 6), description="valid lanes of a row")

LOAD = Format(
    "load", engine="transfer", opcode=1, description="packet of the input stream, one row a beat, to a memory",
    operands=(
        Operand(Field("memory", 4, values=Memory)),
        CORE,
        Operand(Field("base", 18), description="first row"),
        Operand(Field("count", 18), description="beats of the packet; with half two beats a row, even sample first"),
        flag("half", "store two samples a row"),
        Operand(Field("slot", 4), default=0),
        flag("monitor", "record the range in the slot"),
        flag("quantize", "store codes of the slot"),
        LANES,
        flag("merge", "lanes from `lanes` on keep what they hold, else they become zero"),
    ),
)  # fmt: skip

STORE = Format(
    "store", engine="transfer", opcode=2, description="rows of a memory to the output stream, one packet",
    operands=(
        Operand(Field("memory", 4, values=Memory)),
        Operand(Field("core", 6), default=0, description="number of the core"),
        Operand(Field("base", 18), description="first row"),
        Operand(Field("count", 18), description="rows"),
    ),
)  # fmt: skip

NOISE = Format(
    "noise", engine="transfer", opcode=3, description="a row of exploration noise to the error memory",
    operands=(CORE, Operand(Field("base", 18), description="row"), LANES),
)  # fmt: skip

RANGE = Format(
    "range", engine="transfer", opcode=4, description="clear the recorded ranges or freeze them into scales",
    operands=(
        flag("clear"),
        flag("freeze"),
        Operand(Field("bits", 5), default=16, description="n of the codes, 8 to 16"),
    ),
)  # fmt: skip

# Fields that a program must give for every matrix instruction; the rest is zero.
MATRIX_REQUIRED = (
    "dataflow", "bank", "weight_base", "outer_count", "inner_count", "outer_stride", "inner_stride", "stream_base",
    "stream_stride", "samples", "full_cores", "lanes", "shift",
)  # fmt: skip

MATRIX = Format(
    "matrix", engine="matrix", opcode=5, description="one layer of one chunk: a command of the matrix engine",
    operands=tuple(
        Operand(field, default=None if field.name in MATRIX_REQUIRED else 0) for field in MATRIX_COMMAND.fields
    ),
)  # fmt: skip

ADAM = Format(
    "adam", engine="adam", opcode=6, description="Adam and soft target update of a range of rows",
    operands=(
        Operand(Field("network", 1), description="0 actor, 1 critic"),
        Operand(Field("base", 16), description="first row"),
        Operand(Field("count", 16), description="rows"),
        Operand(Field("index", 5), default=0, description="base modulo L"),
        flag("advance", "first advance the bias correction: once a step and network"),
    ),
)  # fmt: skip

INSTRUCTION_SET = InstructionSet(
    engines=("transfer", "matrix", "adam"), formats=(LOAD, STORE, NOISE, RANGE, MATRIX, ADAM), width=256
)
