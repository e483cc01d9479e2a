"""The sum tree's requests and its draws, compiled: one after the other, as they come."""

from typing import Any

import numba
import numpy as np

from ....hw.cores.random.xorshift import SHIFTS, STATE_WIDTH
from ....hw.cores.replay.config import DRAW_WIDTH
from ....hw.cores.replay.requests import RequestKind, Status

__all__ = ["make_draws", "scale", "serve_requests"]

_SAMPLE, _RETRIEVE, _INSERT, _TOTAL = (
    int(kind) for kind in (RequestKind.SAMPLE, RequestKind.RETRIEVE, RequestKind.INSERT, RequestKind.TOTAL)
)
_DONE, _EMPTY, _OUT_OF_RANGE, _UNKNOWN_KIND = (
    int(status) for status in (Status.DONE, Status.EMPTY, Status.OUT_OF_RANGE, Status.UNKNOWN_KIND)
)
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_LEFT, _RIGHT, _LEFT_AGAIN = (np.uint64(shift) for shift in SHIFTS)
_UPPER = np.uint64(STATE_WIDTH - DRAW_WIDTH)
_DRAW_MASK = np.uint64((1 << DRAW_WIDTH) - 1)
# A draw is cut into halves, a number of up to 56 bits into parts.
_HALF, _PART = np.uint64(DRAW_WIDTH // 2), np.uint64(28)
_HALF_MASK, _PART_MASK = np.uint64((1 << DRAW_WIDTH // 2) - 1), np.uint64((1 << 28) - 1)
_PAST = np.uint64(28 - DRAW_WIDTH // 2)


def scale(draws: Any, numbers: Any) -> Any:
    """``floor(draws * numbers / 2**48)`` of uint64, one or an array, draws below 2**48, numbers below 2**56.

    By halves: no product of them has more than 52 bits.
    """
    low, high = draws & _HALF_MASK, draws >> _HALF
    number_low, number_high = numbers & _PART_MASK, numbers >> _PART
    # In units of 2**24; what is cut off is below one, and so cannot carry.
    middle = (low * number_low >> _HALF) + high * number_low + (low * number_high << _PAST)
    return (high * number_high << _PAST) + (middle >> _HALF)


_scale = numba.njit(inline="always")(scale)


@numba.njit(cache=True)
def make_draws(state: np.uint64, count: int, segment: np.uint64) -> tuple[np.ndarray, np.uint64]:
    """Draws of a batch, uint64, shape (count,), and the generator's state after them: see :class:`.DrawReference`."""
    draws = np.empty(count, np.uint64)
    for number in range(count):
        state ^= state << _LEFT
        state ^= state >> _RIGHT
        state ^= state << _LEFT_AGAIN
        draw = state >> _UPPER
        if segment:
            draw = (np.uint64(number) * segment + _scale(draw, segment)) & _DRAW_MASK
        draws[number] = draw
    return draws, state


@numba.njit(inline="always")
def _find_leaves(draws: np.ndarray, sums: np.ndarray, leaves: np.ndarray, priorities: np.ndarray) -> None:
    """Leaves of draws, and their priorities, of a tree whose sum is not 0.

    Level by level: where the tree is larger than a cache, reads for one draw do not wait for those of another.
    """
    first = sums.size // 2
    for place in range(draws.size):
        # `priorities` holds the sum that is sought below a node, until its leaf is found.
        priorities[place], leaves[place] = _scale(draws[place], sums[1]) + _ONE, 1
    level = 1
    while level < first:
        level *= 2
        for place in range(draws.size):
            node = 2 * leaves[place]
            left, sought = sums[node], priorities[place]
            goes_right = sought > left
            leaves[place], priorities[place] = node + goes_right, sought - (left if goes_right else _ZERO)
    for place in range(draws.size):
        priorities[place] = sums[leaves[place]]
        leaves[place] -= first


@numba.njit(cache=True)
def serve_requests(
    kinds: np.ndarray,
    draws: np.ndarray,
    indices: np.ndarray,
    priorities: np.ndarray,
    sums: np.ndarray,
    count: int,
    largest: np.uint64,
    next_leaf: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """Requests to a tree, one after the other: columns of the answers, and the leaf of the next insertion.

    Parameters
    ----------
    kinds, draws, indices, priorities : array, shape (n,)
        Columns of :class:`.Requests`.
    sums : uint64
        Sums of the tree: node n has the children 2 n and 2 n + 1. Changed.
    count : int
        Number of leaves.
    largest : uint64
        Priority.
    next_leaf : int

    Returns
    -------
    statuses, leaves, befores, totals : array, shape (n,)
        Columns of :class:`.Answers`.
    next_leaf : int
    """
    first = sums.size // 2
    statuses, leaves = np.full(kinds.size, _DONE, np.int64), np.zeros(kinds.size, np.int64)
    befores, totals = np.zeros(kinds.size, np.uint64), np.zeros(kinds.size, np.uint64)
    number = 0
    while number < kinds.size:
        kind, here = kinds[number], number
        number += 1
        if kind > _TOTAL:
            statuses[here] = _UNKNOWN_KIND
        elif kind == _TOTAL:
            totals[here] = sums[1]
        elif kind == _SAMPLE:
            while number < kinds.size and kinds[number] == _SAMPLE:
                number += 1
            if sums[1]:
                _find_leaves(draws[here:number], sums, leaves[here:number], befores[here:number])
            else:
                statuses[here:number] = _EMPTY
        else:
            leaf, priority = next_leaf if kind == _INSERT else indices[here], priorities[here]
            if leaf >= count or (kind != _RETRIEVE and priority > largest):
                statuses[here] = _OUT_OF_RANGE
                continue
            node = first + leaf
            leaves[here], befores[here] = leaf, sums[node]
            if kind == _RETRIEVE:
                continue
            # Modulo 2**64, as is what becomes less.
            change = priority - sums[node]
            while node:
                sums[node] += change
                node >>= 1
            if kind == _INSERT:
                next_leaf = (leaf + 1) % count
    return statuses, leaves, befores, totals, next_leaf
