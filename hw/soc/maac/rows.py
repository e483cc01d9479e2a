"""Rows of a learner of attentive critics. No Amaranth here."""

from ...cores.learner.learner_records import (
    ADVANTAGE,
    DRAWN,
    DRAWS,
    HIDDEN,
    LOGIT,
    OBSERVATION,
    OUTCOME,
    TAKEN,
    VERDICT,
)
from ...cores.learner.maac_learner_config import MAACLearnerConfig
from ..learner.rows import parameter_rows, row
from ..shell.row_record import RowRecord

__all__ = ["experience_rows"]


def experience_rows(learner: MAACLearnerConfig) -> tuple[RowRecord, ...]:
    """The rows of each agent's part of an experience in their order, those of its result, and parameters."""
    agents = learner.agents
    results = (
        (row("advantage", ADVANTAGE, "One: log p of the action drawn, and its advantage.", "out"),)
        if learner.updates_policies
        else (
            row("hidden", HIDDEN, f"{agents.hidden_size}: an element of both hidden layers each.", "out"),
            row("logit", LOGIT, f"{agents.actions}: an action each.", "out"),
            row("drawn", DRAWN, "One: the action that was drawn.", "out"),
        )
    )
    return (
        row("observation", OBSERVATION, f"{agents.observations} of an agent: an element each."),
        row("outcome", OUTCOME, "One of an agent."),
        row("draws", DRAWS, "One of an agent: numbers in [0, 1) that actions are drawn with."),
        row("taken", TAKEN, "The last one of an agent: the action taken, and how many it has."),
        *results,
        row("verdict", VERDICT, "The last one of an agent: the value of the action taken, and its error.", "out"),
        *parameter_rows(learner),
    )
