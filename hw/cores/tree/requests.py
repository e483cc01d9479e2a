"""Kinds of requests to a search tree, how they end, and how large their numbers may be. No Amaranth here."""

from enum import IntEnum

__all__ = ["ACTION_WIDTH", "GROUP_WIDTH", "WORKER_WIDTH", "RequestKind", "Status"]

# Bits of a worker's number, of an action's, and of that of a pair of priors; a tree may have fewer of each.
WORKER_WIDTH, ACTION_WIDTH, GROUP_WIDTH = 8, 5, 4


class RequestKind(IntEnum):
    """Kinds of requests."""

    SELECT = 0
    BACKUP = 1
    PRIOR = 2
    CLEAR = 3
    ADVANCE = 4


class Status(IntEnum):
    """How a request ended; from ``UNKNOWN_KIND`` on errors, which leave the tree as it was, the first that holds."""

    INSERTED = 0
    PENDING = 1
    TERMINAL = 2
    HEIGHT_LIMIT = 3
    FULL = 4
    DONE = 5
    UNKNOWN_KIND = 6
    UNKNOWN_WORKER = 7
    NO_TREE = 8
    SELECTED_BEFORE = 9
    NOT_SELECTED = 10
    VISIT_LIMIT = 11
    UNDER_WAY = 12
    NO_CHILD = 13
