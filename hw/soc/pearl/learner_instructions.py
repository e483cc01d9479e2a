"""Instruction sets of learners as tables. No Amaranth here."""

from ...cores.layer.config import BATCH_WIDTH
from ...cores.learner.learner_config import LearnerCommand
from ...cores.records import Field
from ..sequencer.instructions import Format, InstructionSet, Operand

__all__ = ["DDPG_INSTRUCTION_SET", "DQN_INSTRUCTION_SET"]


_COUNT = Operand(Field("count", BATCH_WIDTH), description="samples, at least 1")
_COPY = Operand(Field("copy", 1), default=0, description="1: the target network gets the new weights, too")
_ARRAY = Operand(Field("array", 4), description="place in the configuration's arrays")


def _instruction_set(*more: Operand) -> InstructionSet:
    """With further operands of a step."""
    step = Format(
        "step", engine="learner", opcode=LearnerCommand.STEP,
        description="a gradient step with the samples of one packet of the input stream; one packet with their "
        "priorities",
        operands=(_COUNT, *more),
    )  # fmt: skip
    load = Format(
        "load", engine="learner", opcode=LearnerCommand.LOAD,
        description="the parameters of an array from one packet of the input stream",
        operands=(_ARRAY,),
    )  # fmt: skip
    store = Format(
        "store", engine="learner", opcode=LearnerCommand.STORE,
        description="one packet with the parameters of an array", operands=(_ARRAY,),
    )  # fmt: skip
    return InstructionSet(engines=("learner",), formats=(step, load, store), width=64)


DQN_INSTRUCTION_SET = _instruction_set(_COPY)
# Targets follow with every step.
DDPG_INSTRUCTION_SET = _instruction_set()
