"""Instruction sets of PEARL's learners. No Amaranth here."""

from ...cores.records import Field
from ..learner.instructions import learner_instruction_set
from ..sequencer.instructions import Operand

__all__ = ["ACTOR_CRITIC_INSTRUCTION_SET", "DQN_INSTRUCTION_SET"]

_RESULTS = "their priorities"
_COPY = Operand(Field("copy", 1), default=0, description="1: the target network gets the new weights, too")

DQN_INSTRUCTION_SET = learner_instruction_set(_COPY, results=_RESULTS)
# Targets follow with every step.
ACTOR_CRITIC_INSTRUCTION_SET = learner_instruction_set(results=_RESULTS)
