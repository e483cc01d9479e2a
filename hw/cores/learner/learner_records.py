"""What the rows of a learner's packets mean, as tables. No Amaranth here."""

from ..layer.config import BINARY32_LANE
from ..records import Field, Record

__all__ = ["ACTION_WIDTH", "ARRAY_PLACE_WIDTH", "CHOICE", "ELEMENT", "OBSERVATION", "OUTCOME", "ROW_WIDTH"]

ELEMENT_WIDTH = BINARY32_LANE.format.width
ROW_WIDTH = 2 * ELEMENT_WIDTH
ACTION_WIDTH = 12
# Bits of an array's place among those of all networks.
ARRAY_PLACE_WIDTH = 4

# A sample: a row for each element of an observation, with DDPG one for each element of the action, then two; with DDPG
# the action in the last one means nothing.
OBSERVATION = Record((Field("observation", ELEMENT_WIDTH), Field("next_observation", ELEMENT_WIDTH)))
OUTCOME = Record((Field("reward", ELEMENT_WIDTH), Field("discount", ELEMENT_WIDTH)))
CHOICE = Record((Field("weight", ELEMENT_WIDTH), Field("action", ACTION_WIDTH)))

# A parameter of an array, an element of an action, or a priority.
ELEMENT = Record((Field("element", ELEMENT_WIDTH),))
