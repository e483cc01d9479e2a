"""Bits of a sum tree's requests and answers, as tables. No Amaranth here.

Gateware and drivers make their words from them. References do not know them.
"""

from enum import IntEnum

from ..records import Field, Record
from .config import DRAW_WIDTH, INDEX_WIDTH, PRIORITY_WIDTH
from .requests import RequestKind, Status

__all__ = ["ANSWER", "ARGUMENTS", "HEADER", "KIND_WIDTH", "ROW_WIDTH", "TOTAL", "ReplayCommand"]

# Bits of requests and answers, and of their fields.
ROW_WIDTH = 64
KIND_WIDTH, STATUS_WIDTH = 3, 2


class ReplayCommand(IntEnum):
    """Kinds of commands to the engine of a sum tree.

    ==========  ====================================================================================
    ``SERVE``   a packet of requests
    ``SAMPLE``  a batch of samples, with draws of the engine's own
    ``SEED``    a state of the generator of the draws
    ``CLEAR``   all priorities are zero, the next leaf is the first
    ==========  ====================================================================================
    """

    SERVE = 1
    SAMPLE = 2
    SEED = 3
    CLEAR = 4


# A request, lowest bits first; after it are the arguments of its kind.
HEADER = Record((Field("kind", KIND_WIDTH, values=RequestKind),))

_LEAF = (Field("index", INDEX_WIDTH), Field("priority", PRIORITY_WIDTH))
# ``UPDATE`` and ``RETRIEVE``, which looks at the index alone, and ``INSERT``, which looks at the priority.
ARGUMENTS = {
    RequestKind.SAMPLE: Record((Field("draw", DRAW_WIDTH),)),
    RequestKind.RETRIEVE: Record(_LEAF),
    RequestKind.UPDATE: Record(_LEAF),
    RequestKind.INSERT: Record(_LEAF),
    RequestKind.TOTAL: Record(()),
}

# A leaf and its priority; of updates and insertions the one it had before. All zeros with an error.
ANSWER = Record((Field("kind", KIND_WIDTH, values=RequestKind), Field("status", STATUS_WIDTH, values=Status), *_LEAF))
# The answer to ``TOTAL``.
TOTAL = Record((*ANSWER.fields[:2], Field("total", INDEX_WIDTH + PRIORITY_WIDTH)))
