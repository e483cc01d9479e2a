"""Instruction set of FIXAR as a table; docs/fixar.md says what the instructions do. No Amaranth here."""

import enum

from ...cores.array.config import Operation
from ..sequencer.instructions import Field, Format, InstructionSet

__all__ = [
    "BANKS", "EVERY_CORE", "INSTRUCTION_SET", "Dataflow", "Destination", "Memory", "Operation",
]  # fmt: skip

# Value of a core field that names all of them.
EVERY_CORE = 63

# Networks in the order of their weight banks. Gradients and moments have the first two only.
BANKS = ("actor", "critic", "target_actor", "target_critic")


class Memory(enum.IntEnum):
    """What a load or store reaches."""

    WEIGHT = 0  # row = bank * weight_rows + row in the bank
    GRADIENT = 1  # row = network * weight_rows + row, as the moments
    FIRST_MOMENT = 2
    SECOND_MOMENT_LOW = 3
    SECOND_MOMENT_HIGH = 4
    ACTIVATION = 5
    ERROR = 6
    RANGE = 7  # row = slot, lane 0 minimum, lane 1 maximum


class Dataflow(enum.IntEnum):
    """How a matrix instruction uses a layer."""

    FORWARD = 0
    BACKWARD = 1
    GRADIENT = 2


class Destination(enum.IntEnum):
    """Memory of a matrix instruction's results."""

    ACTIVATION = 0
    ERROR = 1


def address(name, description="", default=None):
    return Field(name, 16, default=default, description=description)


def stride(name, description="", default=None):
    return Field(name, 10, default=default, description=description)


def flag(name, description="", default=0):
    return Field(name, 1, default=default, description=description)


CORE = Field("core", 6, default=EVERY_CORE, description="number of the core, 63: every core")
LANES = Field("lanes", 6, description="valid lanes of a row; of the last output block in a matrix instruction")

LOAD = Format(
    "load", engine="transfer", opcode=1, description="packet of the input stream, one row a beat, to a memory",
    fields=(
        Field("memory", 4, description="Memory"),
        CORE,
        Field("base", 18, description="first row"),
        Field("count", 18, description="beats of the packet; with half two beats a row, even sample first"),
        flag("half", "store two samples a row"),
        Field("slot", 4, default=0),
        flag("monitor", "record the range in the slot"),
        flag("quantize", "store codes of the slot"),
        LANES,
        flag("merge", "lanes from `lanes` on keep what they hold, else they become zero"),
    ),
)  # fmt: skip

STORE = Format(
    "store", engine="transfer", opcode=2, description="rows of a memory to the output stream, one packet",
    fields=(
        Field("memory", 4, description="Memory"),
        Field("core", 6, default=0, description="number of the core"),
        Field("base", 18, description="first row"),
        Field("count", 18, description="rows"),
    ),
)  # fmt: skip

NOISE = Format(
    "noise", engine="transfer", opcode=3, description="a row of exploration noise to the error memory",
    fields=(CORE, Field("base", 18, description="row"), LANES),
)  # fmt: skip

RANGE = Format(
    "range", engine="transfer", opcode=4, description="clear the recorded ranges or freeze them into scales",
    fields=(flag("clear"), flag("freeze"), Field("bits", 5, default=16, description="n of the codes, 8 to 16")),
)  # fmt: skip

MATRIX = Format(
    "matrix", engine="matrix", opcode=5, description="one layer of one chunk",
    fields=(
        Field("dataflow", 2, description="Dataflow"),
        flag("half", "the streamed tensor holds codes, two samples a row"),
        flag("intra_layer", "input block k belongs to core k mod N, sums of the cores are added, one sample"),
        flag("hold", "a tile waits until everything earlier is drained: the first one"),
        flag("follow", "hold: the last tile of the first output block, the first to need the last block before"),
        Field("bank", 2, description="weight bank; in the gradient dataflow network of the gradient memory"),
        address("weight_base", "first row of the matrix; in the gradient dataflow of its gradient"),
        Field("outer_count", 9, description="output blocks"),
        Field("inner_count", 9, description="input blocks; in the gradient dataflow blocks of L samples"),
        address("outer_stride", "rows of weights (gradients) from one outer block to the next"),
        address("inner_stride", "rows from one inner block (gradients: block of inputs) to the next"),
        flag("bias", "add the bias; in the gradient dataflow stream the constant row and store its gradient"),
        address("bias_base", "bias row of outer block 0", default=0),
        address("stream_base", "first row of the streamed tensor"),
        stride("stream_stride", "rows from one of its blocks to the next"),
        Field("samples", 10, description="samples of a core"),
        Field("full_cores", 6, description="cores that have that many; the others have one fewer"),
        Field("first", 10, default=0, description="gradient: first input"),
        Field("last", 10, default=0, description="gradient: input after the last"),
        Field("destination", 1, default=0, description="Destination"),
        address("destination_base", default=0),
        stride("destination_stride", "gradient: bias_base modulo L", default=0),
        LANES,
        flag("merge", "lanes from `lanes` on keep what they hold, else they become zero"),
        Field("operation", 3, default=0, description="Operation; its auxiliary: 3 and 4 activations, 5 to 7 errors"),
        Field("shift", 6, description="of the one rounding, at least 1"),
        Field("bias_shift", 6, default=0, description="left shift of the bias; gradient: `shift` of the bias row"),
        address("auxiliary_base", "auxiliary tensor; in the gradient dataflow the stationary errors", default=0),
        stride("auxiliary_stride", default=0),
        flag("packed_auxiliary", "the auxiliary tensor holds codes of slot input_slot, two samples a row"),
        Field("input_slot", 4, default=0, description="slot of the streamed codes; backward: of the auxiliary's"),
        Field("output_slot", 4, default=0),
        flag("monitor", "record the results' range in output_slot"),
        flag("quantize", "store codes of output_slot"),
        flag("accumulate", "gradient: add to the gradient memory instead of writing it"),
    ),
)  # fmt: skip

ADAM = Format(
    "adam", engine="optimizer", opcode=6, description="Adam and soft target update of a range of rows",
    fields=(
        Field("network", 1, description="0 actor, 1 critic"),
        Field("base", 16, description="first row"),
        Field("count", 16, description="rows"),
        Field("index", 5, default=0, description="base modulo L"),
        flag("advance", "first advance the bias correction: once a step and network"),
    ),
)  # fmt: skip

INSTRUCTION_SET = InstructionSet(
    engines=("transfer", "matrix", "optimizer"), formats=(LOAD, STORE, NOISE, RANGE, MATRIX, ADAM), width=256
)
