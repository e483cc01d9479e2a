"""LearningGroup's instruction set as a table; docs/learninggroup.md says what it does. No Amaranth here."""

import enum

from ...cores.records import Field
from ...cores.vector.elementwise_config import Combination, Destination, Function
from ...cores.vector.elementwise_config import Operand as OperandMemory
from ...cores.vector.matrix_config import Product
from ..sequencer.instructions import Format, InstructionSet, Operand

__all__ = ["EVERY_CORE", "INSTRUCTION_SET", "ROW_WIDTH", "Memory"]

# Value of a core field that names all of them.
EVERY_CORE = 31
# Bits of a row of the host, and of a number of rows.
ROW_WIDTH = 20


class Memory(enum.IntEnum):
    """Memories that a load, store or copy reaches. A row is a block: the blocks of a word follow each other."""

    STATE_0 = 0
    STATE_1 = 1
    STATE_2 = 2
    RESULT = 3  # store only
    CHOICE = 5  # store and copy only
    ACTIVATION = 6  # load only, into all cores; the core named is the owner of the features
    SCALAR = 7  # load only; a number a row, in its lowest bits
    PARAMETER = 8  # words of weights or biases
    GROUPING = 9  # words of numbers, of no core
    GRADIENT = 10  # store only; a row of the banks
    PARAMETER_SQUARE = 11  # mean squares, as PARAMETER
    GROUPING_SQUARE = 12  # mean squares, as GROUPING


def address(name, description="", default=None):
    return Operand(Field(name, 16), default=default, description=description)


def count(name, description="", default=None):
    return Operand(Field(name, 12), default=default, description=description)


def flag(name, description="", default=0):
    return Operand(Field(name, 1), default=default, description=description)


CORE = Operand(Field("core", 5), default=EVERY_CORE, description="number of the core, 31: every core")
CORES = Operand(Field("cores", 16), description="a bit for each core that has columns")
# The blocks of a word; for the matrix engine their base-two logarithm.
BLOCKS = Operand(Field("blocks", 3), description="blocks in use")

MEMORY = Operand(Field("memory", 4, values=Memory))

LOAD = Format(
    "load", engine="transfer", opcode=1, description="packet of the input stream, one row a beat, to a memory",
    operands=(MEMORY, CORE, Field("base", ROW_WIDTH), Field("count", ROW_WIDTH)),
)  # fmt: skip

STORE = Format(
    "store", engine="transfer", opcode=2, description="rows of a core's memory to the output stream, one packet",
    operands=(MEMORY, Field("core", 5), Field("base", ROW_WIDTH), Field("count", ROW_WIDTH)),
)  # fmt: skip

COPY = Format(
    "copy", engine="transfer", opcode=3, description="words of a core's memory to the aggregate memory of all cores",
    operands=(MEMORY, Field("core", 5), address("base"), address("target"),
            count("words")),
)  # fmt: skip

GROUP = Format(
    "group", engine="sparse", opcode=4, description="weight grouping of a layer: stages of the sparse data engine",
    operands=(
        flag("find"), flag("encode"), flag("transpose"), flag("compress"), flag("walk"), flag("every_word"),
        Field("groups", 8), count("rows"), count("columns", "of each core that has some"),
        CORES,
        *(address(f"{name}_base") for name in ("grouping", "index", "group", "row", "column", "weight", "parameter")),
    ),
)  # fmt: skip

MATRIX = Format(
    "matrix", engine="matrix", opcode=5, description="product of a layer",
    operands=(
        Operand(Field("product", 2, values=Product)),
        Operand(Field("cores", 16), default=(1 << 16) - 1, description="a bit for each core that does it"),
        Operand(Field("blocks", 2), description="base-two logarithm of the blocks in use"),
        flag("reversed", "groups from the last to the first"),
        flag("skip_empty", "groups without terms are left out: their results stay"),
        flag("ones", "every operand is 1"),
        address("table"), count("groups"), count("owned", "features of a bank of the activation memory"),
        address("operands"), address("errors", default=0), address("results"),
        Operand(Field("steps", 16), default=1), address("operand_stride", default=0),
        address("error_stride", default=0), address("result_stride", default=0),
    ),
)  # fmt: skip


def operand(name):
    """Fields of an operand of an elementwise pass."""
    return (
        Operand(Field(f"{name}_memory", 3, values=OperandMemory), default=0),
        address(f"{name}_base", default=0),
        Operand(Field(f"{name}_stride", 10), default=0),
        Operand(Field(f"{name}_block", 3), default=4, description="block for all blocks, 4: each its own"),
    )


def destination(index):
    """Fields of a destination of an elementwise pass."""
    return (
        Operand(Field(f"memory_{index}", 3, values=Destination), default=7),
        address(f"base_{index}", default=0),
        Operand(Field(f"stride_{index}", 10), default=1),
        flag(f"after_function_{index}"),
    )


ELEMENTWISE = Format(
    "elementwise", engine="elementwise", opcode=6, description="a pass of the elementwise units",
    operands=(
        CORE, *operand("a"), *operand("b"), *operand("c"), Operand(Field("exchange", 4), default=0),
        Operand(Field("first", 3, values=Combination), default=0),
        Operand(Field("second", 3, values=Combination), default=0),
        Operand(Field("function", 2, values=Function), default=0),
        *destination(0), *destination(1), Field("features", 10), BLOCKS,
        flag("after", "starts when the passes before it are written"),
    ),
)  # fmt: skip

CHOOSE = Format(
    "choose", engine="softmax", opcode=7, description="probabilities and choices of a core's softmax unit",
    operands=(Field("core", 5), Field("choices", 7), BLOCKS),
)  # fmt: skip

AGGREGATE = Format(
    "aggregate", engine="aggregator", opcode=8, description="sums of the cores' results, each to its owner",
    operands=(address("source"), address("target"), Field("features", 10), Field("share", 10), BLOCKS),
)  # fmt: skip

UPDATE_BIASES = Format(
    "update_biases", engine="update", opcode=9,
    description="RMSprop of a layer's biases, which then are scalars, too; complete when all weights that a group "
    "instruction with walk gave are, too",
    operands=(address("parameter_base"), address("weight_base", "of the gradients"), address("scalar_base"),
            count("columns", "of each core that has some; 0: no biases"), CORES),
)  # fmt: skip

UPDATE_GROUPING = Format(
    "update_grouping", engine="update", opcode=10,
    description="gradients of a layer's rows, or columns, and RMSprop of the selected entries of its grouping matrix",
    operands=(address("table", "first of the layer"), Field("groups", 8), flag("columns", "of the columns"),
            address("grouping_base", "of the rows, or of the first core's columns"),
            address("core_words", "from one core's columns to the next one's", default=0)),
)  # fmt: skip

INSTRUCTION_SET = InstructionSet(
    engines=("transfer", "sparse", "matrix", "elementwise", "softmax", "aggregator", "update"),
    formats=(LOAD, STORE, COPY, GROUP, MATRIX, ELEMENTWISE, CHOOSE, AGGREGATE, UPDATE_BIASES, UPDATE_GROUPING),
)
