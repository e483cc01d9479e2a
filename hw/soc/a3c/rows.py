"""Rows of A3C's device. No Amaranth here."""

from ...cores.a3c.config import A3CConfig
from ...cores.a3c.records import ANSWER, REQUEST, REWARD_PLACE, answer_rows, row_width
from ...cores.records import Field, Record
from ..shell.row_record import RowRecord, element_rows

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
        RowRecord(
            name="observation",
            direction="in",
            record=Record((Field("element", number.width),)),
            width=number.width,
            description=f"A number of an observation in {number.name}, {config.width} in a row.",
        ),
        *element_rows("number", number.width, f"A number of a memory in {number.name}, {config.width} in a row."),
    )
