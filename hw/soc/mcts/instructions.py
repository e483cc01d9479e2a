"""The search device's instruction set as a table. No Amaranth here."""

from ...cores.records import Field
from ..sequencer.instructions import Format, InstructionSet, Operand

__all__ = ["INSTRUCTION_SET", "READ", "SERVE"]

SERVE = Format(
    "serve", engine="search", opcode=1,
    description="requests of one packet of the input stream; one packet with their answers",
)  # fmt: skip

READ = Format(
    "read", engine="search", opcode=2, description="nodes, straight from the banks, to the output stream, one packet",
    operands=(
        Operand(Field("base", 16), description="number of the first"),
        Operand(Field("count", 17), description="at least 1"),
    ),
)  # fmt: skip

INSTRUCTION_SET = InstructionSet(engines=("search",), formats=(SERVE, READ), width=64)
