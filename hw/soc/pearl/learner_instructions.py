"""Instruction sets of learners as tables. No Amaranth here."""

from enum import IntEnum

from ...cores.layer.config import BATCH_WIDTH
from ..sequencer.instructions import Field, Format, InstructionSet

__all__ = ["DDPG_INSTRUCTION_SET", "DQN_INSTRUCTION_SET", "LearnerOpcode"]


class LearnerOpcode(IntEnum):
    """Of all learners' instructions."""

    STEP = 1
    LOAD = 2
    STORE = 3


_COUNT = Field("count", BATCH_WIDTH, description="samples, at least 1")
_COPY = Field("copy", 1, default=0, description="1: the target network gets the new weights, too")
# Of more arrays than one network has.
_ARRAY = Field("array", 4, description="place in the configuration's arrays")


def _instruction_set(*more: Field) -> InstructionSet:
    """With further fields of a step."""
    step = Format(
        "step", engine="learner", opcode=LearnerOpcode.STEP,
        description="a gradient step with the samples of one packet of the input stream; one packet with their "
        "priorities",
        fields=(_COUNT, *more),
    )  # fmt: skip
    load = Format(
        "load", engine="learner", opcode=LearnerOpcode.LOAD,
        description="the numbers of an array from one packet of the input stream",
        fields=(_ARRAY,),
    )  # fmt: skip
    store = Format(
        "store", engine="learner", opcode=LearnerOpcode.STORE,
        description="one packet with the numbers of an array", fields=(_ARRAY,),
    )  # fmt: skip
    return InstructionSet(engines=("learner",), formats=(step, load, store), width=64)


DQN_INSTRUCTION_SET = _instruction_set(_COPY)
# Targets follow with every step.
DDPG_INSTRUCTION_SET = _instruction_set()
