"""Rows of learners. No Amaranth here."""

from ...cores.learner.learner_base_config import LearnerConfig
from ...cores.learner.learner_config import PerceptronLearnerConfig
from ...cores.learner.learner_engine_config import LearnerEngineConfig
from ...cores.learner.learner_records import CHOICE, ELEMENT, NOISE, OBSERVATION, OUTCOME, ROW_WIDTH
from ...cores.records import Record
from ..shell.row_record import RowRecord

__all__ = ["parameter_rows", "perceptron_rows", "row"]


def row(name: str, record: Record, description: str, direction: str = "in") -> RowRecord:
    """A row of a learner's streams."""
    return RowRecord(name=name, direction=direction, record=record, width=ROW_WIDTH, description=description)


def parameter_rows(learner: LearnerConfig) -> tuple[RowRecord, RowRecord]:
    """The row records of loads and of stores; both hold one parameter."""
    arrays = ", ".join(
        f"{place} {name} ({', '.join(' x '.join(map(str, shape)) for shape in array.shapes)})"
        for place, (name, array) in enumerate(LearnerEngineConfig(learner=learner).arrays.items())
    )
    text = f"A parameter of an array; arrays by place, with their layers: {arrays}."
    return row("load", ELEMENT, text), row("store", ELEMENT, text, "out")


def perceptron_rows(learner: PerceptronLearnerConfig) -> tuple[RowRecord, ...]:
    """A sample's rows in their order, its result, and parameters."""
    found = [row("observation", OBSERVATION, f"{learner.observations} of a sample: an element each.")]
    if learner.action_rows:
        found.append(row("action", ELEMENT, f"{learner.action_rows} of a sample: an element of the action each."))
    if learner.noise_rows:
        found.append(
            row("noise", NOISE, f"{learner.noise_rows} of a sample: what an element of the actions is drawn with.")
        )
    return (
        *found,
        row("outcome", OUTCOME, "One of a sample."),
        row("choice", CHOICE, "The last one of a sample; the action is that of a DQN."),
        row("result", ELEMENT, "One for each sample: the magnitude of its error, its new priority.", "out"),
        *parameter_rows(learner),
    )
