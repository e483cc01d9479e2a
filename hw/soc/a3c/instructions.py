"""The instruction set of A3C's device as a table. No Amaranth here."""

import enum

from ...cores.records import Field
from ..sequencer.instructions import Format, InstructionSet, Operand

__all__ = ["ADDRESS_WIDTH", "INSTRUCTION_SET", "LOAD", "SERVE", "STORE", "Memory"]

# Bits of a word's address, and of a number of words.
ADDRESS_WIDTH = 24


class Memory(enum.IntEnum):
    """Memories that a load or store reaches; a row is a word."""

    PARAMETERS = 0  # the central parameters; a load also goes to those of all agents
    SQUARES = 1  # RMSProp's mean squares
    COPIES = 2  # each agent's parameters, from a multiple of a power of two of words on


_ROWS = (
    Operand(Field("memory", 2, values=Memory)),
    Operand(Field("base", ADDRESS_WIDTH), description="address of the first word"),
    Operand(Field("count", ADDRESS_WIDTH), description="at least 1"),
)

SERVE = Format(
    "serve", engine="agents", opcode=1,
    description="requests of agents, a packet each, up to one that ends; a packet for each answer",
)  # fmt: skip

LOAD = Format(
    "load", engine="transfer", opcode=2, description="words of one packet of the input stream to a memory",
    operands=_ROWS,
)  # fmt: skip

STORE = Format(
    "store", engine="transfer", opcode=3, description="words of a memory to the output stream, one packet",
    operands=_ROWS,
)  # fmt: skip

INSTRUCTION_SET = InstructionSet(engines=("agents", "transfer"), formats=(SERVE, LOAD, STORE), width=128)
