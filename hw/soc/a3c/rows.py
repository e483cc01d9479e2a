"""What rows of A3C's device hold. No Amaranth here."""

from ...cores.a3c.config import A3CConfig
from ...cores.a3c.records import ANSWER, REQUEST, REWARD_PLACE, answer_rows, row_width
from ...cores.records import Field, Record
from ..shell.row_record import RowRecord

__all__ = ["rows"]


def rows(config: A3CConfig) -> tuple[RowRecord, ...]:
    """Requests, answers, and the numbers of observations and memories."""
    width, number = row_width(config), config.arithmetic.format
    unused = Field("unused", REWARD_PLACE - REQUEST.width)
    return (
        RowRecord(
            name="request",
            direction="in",
            record=Record((*REQUEST.fields, unused, Field("reward", number.width))),
            width=width,
            description="The first row of a request; with `observes` the words of an observation follow.",
        ),
        RowRecord(
            name="answer",
            direction="out",
            record=ANSWER,
            width=width,
            description=f"Lowest bits of an answer, which takes {answer_rows(config)} rows. Unless the agent was "
            f"trained, the probabilities of its actions and the value follow from bit {REWARD_PLACE} on.",
        ),
        *(
            RowRecord(
                name=f"{name}_element",
                direction=direction,
                record=Record((Field("element", number.width),)),
                width=number.width,
                description=f"A number of {number.name} in {what}, {config.width} in a row.",
            )
            for name, direction, what in (
                ("observation", "in", "an observation"),
                ("load", "in", "a memory that is loaded"),
                ("store", "out", "a memory that is stored"),
            )
        ),
    )
