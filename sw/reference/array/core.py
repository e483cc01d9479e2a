"""Reference of the adaptive array core."""

from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.array.config import ArrayConfig
from ..arrays import IntegerArray
from .operand import OperandOptions, form_operands

__all__ = ["AdaptiveArrayCoreReference"]


class AdaptiveArrayCoreReference:
    """Computes as an adaptive array core does. Within one cycle the order is ``swap``, ``sums``, ``load``.

    Parameters
    ----------
    config : ArrayConfig
    """

    def __init__(self, config: ArrayConfig):
        self.config = config
        self.waiting = np.zeros((config.lanes, config.lanes), np.int64)
        self.weights = self.waiting.copy()

    def load(self, index: int, words: ArrayLike, *, transposed: bool) -> None:
        """Put memory row ``index`` of a tile into a column, or transposed into a row, of the waiting weights."""
        if transposed:
            self.waiting[index] = words
        else:
            self.waiting[:, index] = words

    def swap(self) -> None:
        """Make the waiting weights those of the sums from now on."""
        self.weights = self.waiting.copy()

    def sums(self, activations: ArrayLike, **options: Unpack[OperandOptions]) -> tuple[IntegerArray, IntegerArray]:
        """``(low, high)`` sums of each column for one or more rows of activations.

        Parameters
        ----------
        activations : array
            Lanes along the last axis.
        **options
            Options of :func:`form_operands`.
        """
        low, high = form_operands(activations, activation_fraction=self.config.activation_fraction, **options)
        return low @ self.weights, high @ self.weights
