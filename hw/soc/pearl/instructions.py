"""PEARL's instruction set as a table. No Amaranth here."""

from ...cores.random.xorshift import STATE_WIDTH
from ...cores.records import Field
from ...cores.replay.config import DRAW_WIDTH
from ...cores.replay.records import ReplayCommand
from ..sequencer.instructions import Format, InstructionSet, Operand

__all__ = ["CLEAR", "COUNT_WIDTH", "INSTRUCTION_SET", "SAMPLE", "SEED", "SERVE"]

COUNT_WIDTH = 16

SERVE = Format(
    "serve", engine="replay", opcode=ReplayCommand.SERVE.value,
    description="requests of one packet of the input stream; one packet with their answers",
)  # fmt: skip

SAMPLE = Format(
    "sample", engine="replay", opcode=ReplayCommand.SAMPLE.value,
    description="a batch of samples with draws of the device; one packet with their answers and the total",
    operands=(
        Operand(Field("count", COUNT_WIDTH), description="at least 1"),
        Operand(
            Field("segment", DRAW_WIDTH),
            description="width of the segment of each draw, 48 fraction bits; 0: no segments",
        ),
    ),
)  # fmt: skip

SEED = Format(
    "seed", engine="replay", opcode=ReplayCommand.SEED.value, description="a state of the generator of the draws",
    operands=(Operand(Field("state", STATE_WIDTH), description="not 0"),),
)  # fmt: skip

CLEAR = Format(
    "clear", engine="replay", opcode=ReplayCommand.CLEAR.value,
    description="all priorities are zero, the next leaf is the first",
)  # fmt: skip

INSTRUCTION_SET = InstructionSet(engines=("replay",), formats=(SERVE, SAMPLE, SEED, CLEAR), width=128)
