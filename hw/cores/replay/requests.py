"""Kinds of requests to a sum tree, and how they end. No Amaranth here."""

from enum import IntEnum

__all__ = ["RequestKind", "Status"]


class RequestKind(IntEnum):
    """Kinds of requests.

    ============  ==============================================================================================
    ``SAMPLE``    the leaf of a draw x in [0, 1): the first whose prefix sum reaches floor(x * total) + 1
    ``RETRIEVE``  a leaf's priority
    ``UPDATE``    a new priority for a leaf
    ``INSERT``    a priority for the next leaf, after the last one the first
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
