"""PEARL's instruction set as a table. No Amaranth here."""

from ...cores.random.xorshift import STATE_WIDTH
from ...cores.replay.config import DRAW_WIDTH
from ..sequencer.instructions import Field, Format, InstructionSet

__all__ = ["CLEAR", "COUNT_WIDTH", "INSTRUCTION_SET", "SAMPLE", "SEED", "SERVE"]

COUNT_WIDTH = 16

SERVE = Format(
    "serve", engine="replay", opcode=1,
    description="requests of one packet of the input stream; one packet with their answers",
)  # fmt: skip

SAMPLE = Format(
    "sample", engine="replay", opcode=2,
    description="a batch of samples with draws of the device; one packet with their answers and the total",
    fields=(
        Field("count", COUNT_WIDTH, description="at least 1"),
        Field("segment", DRAW_WIDTH, description="width of the segment of each draw, 48 fraction bits; 0: no segments"),
    ),
)  # fmt: skip

SEED = Format(
    "seed", engine="replay", opcode=3, description="a state of the generator of the draws",
    fields=(Field("state", STATE_WIDTH, description="not 0"),),
)  # fmt: skip

CLEAR = Format("clear", engine="replay", opcode=4, description="all priorities are zero, the next leaf is the first")

INSTRUCTION_SET = InstructionSet(engines=("replay",), formats=(SERVE, SAMPLE, SEED, CLEAR), width=128)
