"""Workload of each core when the rows of a layer are dealt out, in two ways."""

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import IntegerArray

__all__ = ["deviation", "row_based", "threshold_based"]


def row_based(workloads: ArrayLike, cores: int) -> IntegerArray:
    """Unmasked weights of each core: equal numbers of rows, as near as can be.

    With fewer rows than cores each row has a core of its own, the first ones.
    """
    workloads = np.asarray(workloads, np.int64)
    rows = len(workloads)
    return np.bincount(np.arange(rows) * min(cores, rows) // rows, workloads, cores).astype(np.int64)


def threshold_based(workloads: ArrayLike, cores: int) -> IntegerArray:
    """Unmasked weights of each core; a core is full when it has more than an equal part."""
    sums = np.concatenate([[0], np.cumsum(np.asarray(workloads, np.int64))])
    parts, start = np.zeros(cores, np.int64), 0
    for core in range(cores - 1):
        end = min(np.searchsorted(cores * (sums - sums[start]), sums[-1], side="right"), len(sums) - 1)
        parts[core], start = sums[end] - sums[start], end
    parts[-1] = sums[-1] - sums[start]
    return parts


def deviation(parts: IntegerArray) -> int:
    """Largest distance of a core's workload from the ideal, times the number of cores."""
    return int(np.abs(len(parts) * parts - parts.sum()).max())
