"""The sum tree's requests and its draws, compiled: one after the other, as they come."""

import numba
import numpy as np

from ....hw.cores.random.xorshift import SHIFTS, STATE_WIDTH
from ....hw.cores.replay.config import DRAW_WIDTH, INDEX_WIDTH, PRIORITY_WIDTH
from ....hw.cores.replay.records import HEADER, STATUS_WIDTH
from ....hw.cores.replay.requests import RequestKind, Status

__all__ = ["make_draws", "scale", "serve_requests"]

_SAMPLE, _RETRIEVE, _INSERT, _TOTAL = (
    np.uint64(kind) for kind in (RequestKind.SAMPLE, RequestKind.RETRIEVE, RequestKind.INSERT, RequestKind.TOTAL)
)
# Where they stand in an answer.
_EMPTY, _OUT_OF_RANGE, _UNKNOWN_KIND = (
    np.uint64(status << HEADER.width) for status in (Status.EMPTY, Status.OUT_OF_RANGE, Status.UNKNOWN_KIND)
)
# A request's header; what is above an answer's kind and status; an index, which is followed by the priority.
_HEADER, _VALUES, _INDEX = (np.uint64(width) for width in (HEADER.width, HEADER.width + STATUS_WIDTH, INDEX_WIDTH))
_KIND_MASK, _INDEX_MASK, _PRIORITY_MASK = (
    np.uint64((1 << width) - 1) for width in (HEADER.width, INDEX_WIDTH, PRIORITY_WIDTH)
)
_ONE = np.uint64(1)
_LEFT, _RIGHT, _LEFT_AGAIN = (np.uint64(shift) for shift in SHIFTS)
_UPPER = np.uint64(STATE_WIDTH - DRAW_WIDTH)
_DRAW_MASK = np.uint64((1 << DRAW_WIDTH) - 1)
# A draw is cut into halves, a number of up to 56 bits into parts.
_HALF, _PART = np.uint64(DRAW_WIDTH // 2), np.uint64(28)
_HALF_MASK, _PART_MASK = np.uint64((1 << DRAW_WIDTH // 2) - 1), np.uint64((1 << 28) - 1)
_PAST = np.uint64(28 - DRAW_WIDTH // 2)


def scale(draws, numbers):
    """``floor(draws * numbers / 2**48)`` of uint64, draws below 2**48, numbers below 2**56.

    By halves: no product of them has more than 52 bits.
    """
    low, high = draws & _HALF_MASK, draws >> _HALF
    number_low, number_high = numbers & _PART_MASK, numbers >> _PART
    # In units of 2**24; what is cut off is below one, and so cannot carry.
    middle = (low * number_low >> _HALF) + high * number_low + (low * number_high << _PAST)
    return (high * number_high << _PAST) + (middle >> _HALF)


_scale = numba.njit(inline="always")(scale)


@numba.njit(cache=True)
def make_draws(state, count, segment):
    """Draws of a batch, uint64, shape (count,), and the generator's state behind them: see :class:`.DrawReference`."""
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


@numba.njit(cache=True)
def serve_requests(rows, sums, count, largest, next_leaf):
    """Requests to a tree, one after the other: the rows of the answers, and the leaf of the next insertion.

    Parameters
    ----------
    rows : uint64, shape (n,)
    sums : uint64
        Of the tree: node n has the children 2 n and 2 n + 1. Changed.
    count : int
        Of leaves.
    largest : uint64
        Priority.
    next_leaf : int
    """
    first = sums.size // 2
    answers = np.empty_like(rows)
    for number in range(rows.size):
        kind, arguments = rows[number] & _KIND_MASK, rows[number] >> _HEADER
        answers[number] = kind
        if kind > _TOTAL:
            answers[number] |= _UNKNOWN_KIND
        elif kind == _TOTAL:
            answers[number] |= sums[1] << _VALUES
        elif kind == _SAMPLE:
            if sums[1] == 0:
                answers[number] |= _EMPTY
                continue
            sought, node = _scale(arguments & _DRAW_MASK, sums[1]) + _ONE, 1
            while node < first:
                node *= 2
                if sought > sums[node]:
                    sought -= sums[node]
                    node += 1
            answers[number] |= (np.uint64(node - first) | sums[node] << _INDEX) << _VALUES
        else:
            leaf = next_leaf if kind == _INSERT else np.int64(arguments & _INDEX_MASK)
            priority = arguments >> _INDEX & _PRIORITY_MASK
            if leaf >= count or (kind != _RETRIEVE and priority > largest):
                answers[number] |= _OUT_OF_RANGE
                continue
            node = first + leaf
            answers[number] |= (np.uint64(leaf) | sums[node] << _INDEX) << _VALUES
            if kind == _RETRIEVE:
                continue
            # Modulo 2**64, as is what becomes less.
            change = priority - sums[node]
            while node:
                sums[node] += change
                node >>= 1
            if kind == _INSERT:
                next_leaf = (leaf + 1) % count
    return answers, next_leaf
