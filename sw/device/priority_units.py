"""Priorities in units of a sum tree's format, compiled: a batch is too small for NumPy's calls."""

import numba
import numpy as np

__all__ = ["priority_units"]


@numba.njit(cache=True)
def priority_units(values: np.ndarray, unit: float, largest: int) -> tuple[np.ndarray, int]:
    """Priorities rounded to the nearest unit, halves to even; one above 0 has one unit at least.

    Parameters
    ----------
    values
        Priorities, float64, shape (n,).
    unit
        Units in 1.
    largest
        Units of the greatest priority of the format.

    Returns
    -------
    units
        int64, shape (n,).
    wrong
        Place of the first value that is negative, not a number or over the format, -1 if there is none; units from
        there on are not computed.
    """
    units = np.empty(values.size, np.int64)
    for place in range(values.size):
        value = values[place]
        rounded = np.rint(value * unit)
        if not (value >= 0 and rounded <= largest):
            return units, place
        units[place] = 1 if rounded == 0 and value > 0 else np.int64(rounded)
    return units, -1
