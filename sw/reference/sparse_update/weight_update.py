"""Reference of the update of compressed weights: words of parameters, in bit patterns."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.float.config import FloatFormat
from ..arrays import IntegerArray
from ..float.conversion import convert
from ..optimizer.rms_prop import rms_prop

__all__ = ["dense_words", "update"]


def dense_words(
    columns: int, *, lanes: int, banks: int, parameter_base: int, weight_base: int
) -> dict[str, IntegerArray]:
    """Words of ``columns`` neighbours that no mask concerns, as arrays: what the update needs of them."""
    first = np.arange(0, columns, lanes)
    present = np.minimum(columns - first, lanes)
    return {
        "parameter_address": parameter_base + first // lanes,
        "mask": (1 << present) - 1,
        "weight_address": weight_base + first // banks,
        "phase": first % banks,
        "turn": first % banks,
    }


def update(
    number_format: FloatFormat,
    gradient_format: FloatFormat,
    weights: IntegerArray,
    squares: IntegerArray,
    gradients: IntegerArray,
    words: Mapping[str, IntegerArray],
    **rates: ArrayLike,
) -> tuple[IntegerArray, IntegerArray]:
    """``(weights, squares)`` after RMSprop of the unmasked lanes of words.

    Parameters
    ----------
    number_format, gradient_format : FloatFormat
    weights, squares : array (words, lanes)
        The parameter memory.
    gradients : array (banks, addresses)
    words : dict of array
        Words of ``parameter_words`` or :func:`dense_words`.
    rates
        The rates of :func:`.rms_prop`.
    """
    weights, squares = np.array(weights), np.array(squares)
    banks, lanes = len(gradients), weights.shape[1]
    mask = (words["mask"][:, np.newaxis] >> np.arange(lanes) & 1).astype(bool)
    word, lane = np.nonzero(mask)
    before = (np.cumsum(mask, axis=1) - 1)[word, lane]
    bank = (words["turn"][word] + before) % banks
    found = gradients[bank, words["weight_address"][word] + (words["phase"][word] + before) // banks]
    if gradient_format != number_format:
        found = convert(gradient_format, number_format, found)
    place = words["parameter_address"][word], lane
    weights[place], squares[place] = rms_prop(number_format, weights[place], squares[place], found, **rates)
    return weights, squares
