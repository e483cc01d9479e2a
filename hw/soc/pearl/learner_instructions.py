"""The learner's instruction set as a table. No Amaranth here."""

from ...cores.layer.config import ARRAY_WIDTH, BATCH_WIDTH
from ..sequencer.instructions import Field, Format, InstructionSet

__all__ = ["INSTRUCTION_SET", "LOAD", "STEP", "STORE"]

_ARRAY = Field("array", ARRAY_WIDTH, description="place in the configuration's arrays")

STEP = Format(
    "step", engine="learner", opcode=1,
    description="a gradient step with the samples of one packet of the input stream; one packet with their priorities",
    fields=(
        Field("count", BATCH_WIDTH, description="samples, at least 1"),
        Field("copy", 1, default=0, description="1: the target network gets the new weights, too"),
    ),
)  # fmt: skip

LOAD = Format(
    "load", engine="learner", opcode=2, description="the numbers of an array from one packet of the input stream",
    fields=(_ARRAY,),
)  # fmt: skip

STORE = Format(
    "store", engine="learner", opcode=3, description="one packet with the numbers of an array", fields=(_ARRAY,)
)  # fmt: skip

INSTRUCTION_SET = InstructionSet(engines=("learner",), formats=(STEP, LOAD, STORE), width=64)
