"""Rows of a learner's packets, as tables. No Amaranth here."""

from ..layer.config import BINARY32_LANE
from ..records import Field, Record

__all__ = [
    "ACTION_WIDTH",
    "ADVANTAGE",
    "ARRAY_PLACE_WIDTH",
    "CHOICE",
    "DRAWN",
    "DRAWS",
    "ELEMENT",
    "HIDDEN",
    "LOGIT",
    "NOISE",
    "OBSERVATION",
    "OUTCOME",
    "ROW_WIDTH",
    "TAKEN",
    "VERDICT",
]

ELEMENT_WIDTH = BINARY32_LANE.format.width
ROW_WIDTH = 2 * ELEMENT_WIDTH
ACTION_WIDTH = 12
# Bits of an array's place among those of all networks.
ARRAY_PLACE_WIDTH = 5

# A sample: a row for each element of an observation, with DDPG and SAC one for each element of the action, with SAC one
# for each element of the noise that actions are drawn with, then two; the action in the last one is that of a DQN.
OBSERVATION = Record((Field("observation", ELEMENT_WIDTH), Field("next_observation", ELEMENT_WIDTH)))
NOISE = Record((Field("noise", ELEMENT_WIDTH), Field("next_noise", ELEMENT_WIDTH)))
OUTCOME = Record((Field("reward", ELEMENT_WIDTH), Field("discount", ELEMENT_WIDTH)))
CHOICE = Record((Field("weight", ELEMENT_WIDTH), Field("action", ACTION_WIDTH)))

# A parameter of an array, an element of an action, or a priority.
ELEMENT = Record((Field("element", ELEMENT_WIDTH),))

# MAAC: an agent's part of an experience is a row for each element of an observation, then an outcome, with what its
# actions are drawn, and the action that it took and how many it has.
DRAWS = Record((Field("uniform", ELEMENT_WIDTH), Field("next_uniform", ELEMENT_WIDTH)))
TAKEN = Record((Field("action", ACTION_WIDTH), Field("available", ACTION_WIDTH)))

# The answer: a row for each element of a hidden layer, one for each action, the action that was drawn, and the
# value of the one that was taken with its error. Where policies are updated on the device, there is one before that
# alone: log p of the action that was drawn, and its advantage.
HIDDEN = Record((Field("first", ELEMENT_WIDTH), Field("second", ELEMENT_WIDTH)))
LOGIT = Record((Field("logit", ELEMENT_WIDTH), Field("value", ELEMENT_WIDTH)))
DRAWN = Record((Field("action", ACTION_WIDTH),))
ADVANTAGE = Record((Field("logarithm", ELEMENT_WIDTH), Field("advantage", ELEMENT_WIDTH)))
VERDICT = Record((Field("value", ELEMENT_WIDTH), Field("error", ELEMENT_WIDTH)))
