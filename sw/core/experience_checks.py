"""Checks that every replay buffer makes of an experience before it keeps it."""

from typing import Any

import numpy as np

__all__ = ["finite_array"]


def finite_array(name: str, values: Any, kind: np.dtype | type | None = None) -> np.ndarray:
    """The values as an array, in the type in which the buffer keeps them.

    One value that is not finite would soon make every weight of a network one that is not.

    Parameters
    ----------
    name
        Name of the values, for the error.
    values
        Numbers or arrays.
    kind
        Type of the array; ``None``: the values' own.

    Raises
    ------
    ValueError
        A value is not finite, or beyond the type's range; the text says which.
    """
    given = np.asarray(values)
    array = given
    if kind is not None and given.dtype != kind:
        # A number that is beyond float32 becomes infinite here, and is refused below in its own words.
        with np.errstate(over="ignore"):
            array = given.astype(kind)
    if array.dtype.kind in "fc" and not np.isfinite(array).all():
        place = np.flatnonzero(~np.isfinite(array))[0]
        raise ValueError(f"{name} of an experience must be finite in {array.dtype}, not {given.reshape(-1)[place]}")
    return array
