"""The search device's instruction set as a table. No Amaranth here."""

from ..sequencer.instructions import Field, Format, InstructionSet

__all__ = ["INSTRUCTION_SET", "READ", "SERVE"]

SERVE = Format(
    "serve", engine="search", opcode=1,
    description="requests of one packet of the input stream; one packet with their answers",
)  # fmt: skip

READ = Format(
    "read", engine="search", opcode=2, description="nodes, straight from the banks, to the output stream, one packet",
    fields=(Field("base", 16, description="number of the first"), Field("count", 17, description="at least 1")),
)  # fmt: skip

INSTRUCTION_SET = InstructionSet(engines=("search",), formats=(SERVE, READ), width=64)
