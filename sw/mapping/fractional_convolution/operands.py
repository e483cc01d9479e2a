"""Which pixel and which weight stands where in the engine's memories, and which output in its words."""

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
    inputs : array of (pictures, input channels, H1, H2)
    """
    picture, x, y = np.transpose(one.pixels)
    rows = one.config.rows
    tiled = np.zeros((one.tiles * rows, one.layer.input_channels), inputs.dtype)
    tiled[: len(picture)] = inputs[picture, :, x, y]
    return tiled.reshape(one.tiles, rows, -1).transpose(0, 2, 1).reshape(-1, rows)


def weight_rows(one: Pass, weights: NDArray[np.generic]) -> NDArray[np.generic]:
    """Rows of the weight memory from ``one.weight_row`` on: (blocks x input channels, N); zeros where no column is.

    Parameters
    ----------
    one : Pass
    weights : array of (input channels, output channels, K1, K2)
    """
    lanes, channels = one.config.lanes, one.layer.input_channels
    tile = weights[:, one.first_channel : one.first_channel + one.channels]
    columns = np.zeros((channels, one.blocks * lanes), weights.dtype)
    columns[:, : one.columns] = tile.transpose(0, 2, 3, 1).reshape(channels, -1)
    return columns.reshape(channels, one.blocks, lanes).transpose(1, 0, 2).reshape(-1, lanes)


def output_rows(one: Pass, words: NDArray[np.generic]) -> NDArray[np.generic]:
    """The output channels of a pass from its words: (pictures, channels, O1, O2).

    Parameters
    ----------
    one : Pass
    words : array of (pictures x O1 x words of a row, outputs of a word)
    """
    runs = np.asarray(words).reshape(one.output_rows * one.row_positions // one.run, -1)[:, : one.run]
    height, width = one.layer.output_size
    return runs.reshape(one.layer.pictures, height, width, one.channels).transpose(0, 3, 1, 2)
