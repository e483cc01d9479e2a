"""The order in which an adder tree sums."""

import numpy as np

from ....hw.cores.float.config import FloatFormat
from ..arrays import ValueArray
from .host import add

__all__ = ["tree_sum"]


def tree_sum(number_format: FloatFormat, terms: ValueArray) -> ValueArray:
    """Sum over the last axis, neighbours first, level by level; an odd one out goes on to the next level as it is.

    ``((t0 + t1) + (t2 + t3)) + t4`` of five terms. One term is its own sum, whatever the sign of a zero.
    """
    while terms.shape[-1] > 1:
        pairs = terms.shape[-1] // 2
        sums = add(number_format, terms[..., : 2 * pairs : 2], terms[..., 1 : 2 * pairs : 2])
        terms = _append(sums, terms[..., 2 * pairs :])
    return terms[..., 0]


def _append(sums: ValueArray, rest: ValueArray) -> ValueArray:
    return np.concatenate([sums, rest], axis=-1) if rest.shape[-1] else sums
