"""What the bits of a sum tree's requests and answers mean, as tables. No Amaranth here."""

from enum import IntEnum

from ..records import Field, Record
from .config import DRAW_WIDTH, INDEX_WIDTH, PRIORITY_WIDTH

__all__ = [
    "ANSWER", "ARGUMENTS", "HEADER", "KIND_WIDTH", "ROW_WIDTH", "TOTAL", "ReplayCommand", "RequestKind", "Status"
]  # fmt: skip

# Bits of requests and answers, and of their fields.
ROW_WIDTH = 64
KIND_WIDTH, STATUS_WIDTH = 3, 2


class ReplayCommand(IntEnum):
    """What the engine of a sum tree is told to do.

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


class RequestKind(IntEnum):
    """What a request asks for.

    ============  ==============================================================================================
    ``SAMPLE``    the leaf of a draw x in [0, 1): the first whose prefix sum reaches floor(x * total) + 1
    ``RETRIEVE``  a leaf's priority
    ``UPDATE``    a new priority for a leaf
    ``INSERT``    a priority for the next leaf, behind the last one the first
    ``TOTAL``     the sum of all leaves
    ============  ==============================================================================================
    """

    SAMPLE = 0
    RETRIEVE = 1
    UPDATE = 2
    INSERT = 3
    TOTAL = 4


class Status(IntEnum):
    """How a request ended; but for ``DONE`` it changed nothing.

    ================  ==========================================================================================
    ``DONE``          as asked
    ``EMPTY``         a sample of a tree whose leaves are all zero
    ``OUT_OF_RANGE``  there is no such leaf, or the priority has more bits than those of the tree
    ``UNKNOWN_KIND``  there is no such kind
    ================  ==========================================================================================
    """

    DONE = 0
    EMPTY = 1
    OUT_OF_RANGE = 2
    UNKNOWN_KIND = 3


# A request, lowest bits first; behind it are the arguments of its kind.
HEADER = Record((Field("kind", KIND_WIDTH),))

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
ANSWER = Record((Field("kind", KIND_WIDTH), Field("status", STATUS_WIDTH), *_LEAF))
# The answer to ``TOTAL``.
TOTAL = Record((*ANSWER.fields[:2], Field("total", INDEX_WIDTH + PRIORITY_WIDTH)))
