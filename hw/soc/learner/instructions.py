"""The instruction sets of learners, a table. No Amaranth here."""

from ...cores.layer.config import BATCH_WIDTH
from ...cores.learner.learner_base_config import LearnerCommand
from ...cores.learner.learner_records import ARRAY_PLACE_WIDTH
from ...cores.records import Field
from ..sequencer.instructions import Format, InstructionSet, Operand

__all__ = ["learner_instruction_set"]

_COUNT = Operand(Field("count", BATCH_WIDTH), description="samples, at least 1")
_ARRAY = Operand(Field("array", ARRAY_PLACE_WIDTH), description="place in the configuration's arrays")


def learner_instruction_set(*operands: Operand, results: str, follow: str = "") -> InstructionSet:
    """Steps, loads and stores.

    Parameters
    ----------
    operands : Operand
        Operands of a step, besides the number of samples.
    results : str
        What the packet of a step's results has.
    follow : str
        Description of a further instruction, which has no operands; empty: there is none.
    """
    step = Format(
        "step", engine="learner", opcode=LearnerCommand.STEP,
        description=f"a gradient step with the samples of one packet of the input stream; one packet with {results}",
        operands=(_COUNT, *operands),
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
    more = (Format("follow", engine="learner", opcode=LearnerCommand.FOLLOW, description=follow),) if follow else ()
    return InstructionSet(engines=("learner",), formats=(step, load, store, *more), width=64)
