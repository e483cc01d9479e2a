"""The least and the greatest of an array, compiled, for checks of small arrays in inner loops."""

import numba
import numpy as np

__all__ = ["extent"]


@numba.njit(cache=True)
def extent(values: np.ndarray) -> tuple[float, float]:
    """The least and the greatest value of a vector that has one at least; both NaN if one of them is."""
    least = greatest = values[0]
    for value in values:
        if not value >= least:
            least = value
        if not value <= greatest:
            greatest = value
        if value != value:
            break
    return least, greatest
