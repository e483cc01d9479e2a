"""What the rows of a learner's packets mean, as tables. No Amaranth here."""

from ...cores.layer.config import BINARY32_LANE
from ...cores.records import Field, Record

__all__ = ["ACTION_WIDTH", "CHOICE", "NUMBER", "OBSERVATION", "OUTCOME", "ROW_WIDTH"]

NUMBER_WIDTH = BINARY32_LANE.format.width
ROW_WIDTH = 2 * NUMBER_WIDTH
ACTION_WIDTH = 12

# A sample: a row for each number of an observation, of DDPG one for each number of the action, then two; of DDPG the
# action in the last one means nothing.
OBSERVATION = Record((Field("observation", NUMBER_WIDTH), Field("next_observation", NUMBER_WIDTH)))
OUTCOME = Record((Field("reward", NUMBER_WIDTH), Field("discount", NUMBER_WIDTH)))
CHOICE = Record((Field("weight", NUMBER_WIDTH), Field("action", ACTION_WIDTH)))

# Numbers of arrays and actions, and priorities.
NUMBER = Record((Field("number", NUMBER_WIDTH),))
