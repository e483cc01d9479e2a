"""The sparse data encoder: lists and tables from the indexes of a layer's rows and columns."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import FlagArray, IntegerArray

__all__ = ["Tuples", "encode", "encoding_cycles", "index_words"]


@dataclass(frozen=True)
class Tuples:
    """The tuples of a layer, in one direction.

    Parameters
    ----------
    order : array
        Groups as they were met.
    vectors : list of array of bool
        For each core ``[group, own column]``; transposed, for one list of rows ``[group, row]``.
    lists : list of array
        Non-zero indexes for each core, as they stand one after another.
    starts, counts : array
        ``[core, group]``: where the indexes of a group begin in the list, and how many they are.
    """

    order: IntegerArray
    vectors: list[FlagArray]
    lists: list[IntegerArray]
    starts: IntegerArray
    counts: IntegerArray


def encode(inner: ArrayLike, outer: Sequence[ArrayLike], groups: int) -> Tuples:
    """Tuples from the group indexes of rows (``inner``) and of the columns of each core (``outer``, a list of arrays).

    Transposed: ``inner`` are the columns of core 0, core 1, ... and ``outer`` is ``[rows]``.
    """
    inner = np.asarray(inner, np.int64)
    columns = [np.asarray(own, np.int64) for own in outer]
    met, first = np.unique(inner, return_index=True)
    met = met[np.argsort(first)]
    order = np.concatenate([met, np.setdiff1d(np.arange(groups), met)])
    place = np.argsort(order)
    lists = [np.argsort(place[own], kind="stable") for own in columns]
    counts = np.array([np.bincount(own, minlength=groups) for own in columns])
    ends = np.cumsum(counts[:, order], axis=1)[:, place]
    vectors = [own == np.arange(groups)[:, None] for own in columns]
    return Tuples(order=order, vectors=vectors, lists=lists, starts=ends - counts, counts=counts)


def index_words(lanes: int, rows: ArrayLike, columns: Sequence[ArrayLike]) -> IntegerArray:
    """The index lists of a layer as words of ``lanes``: of the rows, then of each core's columns; 0 where none is."""
    parts = [np.asarray(part, np.int64) for part in (rows, *columns)]
    return np.concatenate([np.pad(part, (0, -len(part) % lanes)) for part in parts]).reshape(-1, lanes)


def encoding_cycles(
    inner: ArrayLike, outer: Sequence[ArrayLike], groups: int, lanes: int, caching: bool = True
) -> tuple[int, int, int]:
    """``(loading, missing, hitting)`` cycles from the acceptance of a command to the cycle before its completion."""
    tuples = encode(inner, outer, groups)
    total = tuples.counts.sum(axis=0)
    inner = np.asarray(inner, np.int64)
    sequence = np.concatenate([inner, np.arange(groups)])
    rows = len(inner)
    _, first = np.unique(sequence, return_index=True)
    generates = np.isin(np.arange(len(sequence)), first)
    if not caching:
        generates[:rows] = True
    # A row takes the cycle after the one before it, or waits until nothing is being generated.
    cycle, free, missing = -1, 0, 0
    previous = -1
    for place in np.flatnonzero(generates):
        cycle = max(cycle + int(place) - previous, free)
        free = cycle + 2 + int(total[sequence[place]])
        missing += 2 + int(total[sequence[place]])
        previous = int(place)
    cycle += len(sequence) - 1 - previous
    # One cycle more sees that nothing is being generated any longer.
    end = max(cycle + 1, free) + 1
    words = sum(-(-np.size(own) // lanes) for own in outer)
    return words, missing, end - missing
