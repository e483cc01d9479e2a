"""Rows of requests and answers, as tables. No Amaranth here."""

from ..records import Field, Record
from .config import A3CConfig

__all__ = ["ACTION_WIDTH", "AGENT_WIDTH", "ANSWER", "REQUEST", "REWARD_PLACE", "answer_rows", "row_width"]

AGENT_WIDTH = 8
ACTION_WIDTH = 8

# The first row of a request. ``restarts``: the agent's rollout so far is forgotten. ``acts``: there is an action at the
# agent's last observation, and its reward, a number from bit ``REWARD_PLACE`` of the row on. ``observes``: the rows
# after are words of an observation. ``trains``: the rollout ends, and the agent is trained with it; an observation is
# what its last action led to, without one nothing follows. ``ends``: no request, there are no more.
REQUEST = Record(
    (
        Field("agent", AGENT_WIDTH),
        Field("action", ACTION_WIDTH),
        Field("restarts"),
        Field("acts"),
        Field("observes"),
        Field("trains"),
        Field("ends"),
    )
)
REWARD_PLACE = 32

# An answer: these bits, and unless the agent was trained, from bit ``REWARD_PLACE`` on, the probabilities of its
# actions and the value after them. It takes as many rows as are needed for that, the lowest bits first.
ANSWER = Record((Field("agent", AGENT_WIDTH), Field("trained")))


def row_width(config: A3CConfig) -> int:
    """Bits of a row of packets: a word.

    Raises
    ------
    ValueError
        A word has no room for an action and its reward.
    """
    width = config.arithmetic.format.width
    if config.width * width < REWARD_PLACE + width:
        least = -(-(REWARD_PLACE + width) // width)
        raise ValueError(
            f"Width must be at least {least}, as requests have a header and a reward in a row, not {config.width}"
        )
    return config.width * width


def answer_rows(config: A3CConfig) -> int:
    """Rows of an answer."""
    return -(-(REWARD_PLACE + config.outputs * config.arithmetic.format.width) // row_width(config))
