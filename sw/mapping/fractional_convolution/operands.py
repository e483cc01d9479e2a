"""Places of pixels and weights in the engine's memories, and of outputs in its words."""

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.fractional_convolution.passes import Pass

__all__ = ["input_rows", "output_rows", "weight_rows"]


def input_rows(one: Pass, inputs: NDArray[np.generic]) -> NDArray[np.generic]:
    """Rows of the input memory from ``one.input_row`` on: (tiles x input channels, P1); zeros where no pixel is.

    Parameters
    ----------
    one : Pass
        Any of the layer's.
    inputs : array of (pictures, H1, H2, input channels)
    """
    picture, x, y = np.transpose(one.pixels)
    rows = one.config.rows
    tiled = np.zeros((one.tiles * rows, one.shape.input_channels), inputs.dtype)
    tiled[: len(picture)] = inputs[picture, x, y]
    return tiled.reshape(one.tiles, rows, -1).transpose(0, 2, 1).reshape(-1, rows)


def weight_rows(one: Pass, kernels: NDArray[np.generic]) -> NDArray[np.generic]:
    """Rows of the weight memory from ``one.weight_row`` on: (blocks x input channels, N); zeros where no column is.

    Parameters
    ----------
    one : Pass
    kernels : array of (K1, K2, input channels, output channels)
    """
    lanes, channels = one.config.lanes, one.shape.input_channels
    tile = kernels[..., one.first_channel : one.first_channel + one.channels]
    columns = np.zeros((channels, one.blocks * lanes), kernels.dtype)
    columns[:, : one.columns] = tile.transpose(2, 0, 1, 3).reshape(channels, -1)
    return columns.reshape(channels, one.blocks, lanes).transpose(1, 0, 2).reshape(-1, lanes)


def output_rows(one: Pass, words: NDArray[np.generic]) -> NDArray[np.generic]:
    """The output channels of a pass from its words: (pictures, O1, O2, channels).

    Parameters
    ----------
    one : Pass
    words : array of (pictures x O1 x words of a row, outputs of a word)
    """
    runs = np.asarray(words).reshape(one.output_rows * one.row_positions // one.run, -1)[:, : one.run]
    return runs.reshape(one.pictures, *one.shape.output, one.channels)
